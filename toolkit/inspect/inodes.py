"""Devices of the kernel's inner filesystems, which tell what an interest list's inode numbers belong to."""

import os
import socket
from dataclasses import dataclass
from functools import lru_cache

_MINOR_BITS = 20  # include/linux/kdev_t.h


def kernel_device(st_dev: int) -> int:
    """A stat(2) device in the kernel's own encoding, as fdinfo's `sdev` has it."""
    return os.major(st_dev) << _MINOR_BITS | os.minor(st_dev)


@dataclass(frozen=True)
class InnerFilesystems:
    """One of each in a running kernel, for all namespaces.

    A socket's inode belongs to one open file alone; a pipe's to at least two; all anonymous inodes are one.
    """

    sockets: int
    pipes: int
    anonymous: int

    @property
    def all(self) -> frozenset[int]:
        """The three devices."""
        return frozenset((self.sockets, self.pipes, self.anonymous))


@lru_cache(maxsize=1)
def inner_filesystems() -> InnerFilesystems:
    """Learnt from descriptors of our own.

    Raises:
        OSError: EMFILE, ENFILE: no descriptor is to be had.
    """
    from toolkit.primitives.eventfd import EventFd

    with socket.socket(socket.AF_UNIX) as one_socket, EventFd() as counter:
        reader, writer = os.pipe()
        try:
            devices = [os.fstat(fd).st_dev for fd in (one_socket.fileno(), reader, counter.fileno())]
        finally:
            os.close(reader)
            os.close(writer)
    return InnerFilesystems(*map(kernel_device, devices))
