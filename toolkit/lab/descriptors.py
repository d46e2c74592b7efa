"""Pipes, files and eventfds, and what can be done with any descriptor. Descriptors are numbers here."""

import fcntl
import mmap
import os
from pathlib import Path

from toolkit.ffi import linux, tracing
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EFD_CLOEXEC, EPOLL_CLOEXEC, EpollEvents
from toolkit.lab import calls
from toolkit.lab.base import LabBase
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EventFd
from toolkit.primitives.fdinfo import Registration, read_fdinfo, read_interest_list
from toolkit.primitives.kcmp import is_epoll_target
from toolkit.primitives.owned import Descriptor, number_of

_F_SETPIPE_SZ = 1031  # fcntl(2); the standard library names it from Python 3.10.3 on


class Descriptors(LabBase):
    """Every call is traced."""

    def epoll(self, flags: int = EPOLL_CLOEXEC) -> Epoll:
        """A new epoll instance."""
        epoll = Epoll(flags)
        self.keep(epoll)
        return epoll

    def eventfd(self, initial: int = 0, flags: int = EFD_CLOEXEC) -> EventFd:
        """A new eventfd."""
        eventfd = EventFd(initial, flags)
        self.keep(eventfd)
        return eventfd

    def pipe(self, flags: int = os.O_CLOEXEC) -> tuple[int, int]:
        """`(reader, writer)` of a new pipe."""
        reader, writer = os.pipe2(flags)
        shown = "|".join(name for name in ("O_NONBLOCK", "O_CLOEXEC") if flags & getattr(os, name)) or "0"
        tracing.emit("pipe2", f"[{reader}, {writer}], {shown}", 0)
        return reader, writer

    def open(self, path: str | Path, flags: int = os.O_RDONLY) -> int:
        """open(2), close-on-exec as Python opens."""
        shown = calls.open_flags(flags | os.O_CLOEXEC)
        return calls.described("openat", f'AT_FDCWD, "{path}", {shown}', lambda: os.open(path, flags, 0o600))

    def file(self, content: bytes = b"") -> int:
        """A regular file in the case's own folder, opened for reading and writing."""
        path = self.tmp_path / f"file-{len(self._kept)}"
        path.write_bytes(content)
        self.keep(path)
        return self.open(path, os.O_RDWR)

    def dup(self, descriptor: Descriptor) -> int:
        """A second number for the same open file description (fcntl(F_DUPFD_CLOEXEC), as Python's os.dup)."""
        fd = number_of(descriptor)
        return calls.described("fcntl", f"{fd}, F_DUPFD_CLOEXEC, 0", lambda: os.dup(fd))

    def dup2(self, descriptor: Descriptor, number: int) -> int:
        """Makes `number` name the open file description of `descriptor`, closing what it named before."""
        fd = number_of(descriptor)
        return calls.described(
            "dup3", f"{fd}, {number}, O_CLOEXEC", lambda: os.dup2(fd, number, inheritable=False)
        )

    def close(self, descriptor: Descriptor) -> int:
        """Closes a number or an object, and returns the number it had."""
        fd = number_of(descriptor)
        if isinstance(descriptor, Epoll | EventFd):
            descriptor.close()
        else:
            calls.close(fd)
        return fd

    def read(self, descriptor: Descriptor, size: int = 4096) -> bytes:
        """read(2)."""
        return calls.read(number_of(descriptor), size)

    def write(self, descriptor: Descriptor, data: bytes) -> int:
        """write(2): how many bytes went."""
        return calls.write(number_of(descriptor), data)

    def drain(self, descriptor: Descriptor, size: int = 65536) -> bytes:
        """Reads a non-blocking descriptor until EAGAIN or end of file."""
        found = b""
        while True:
            try:
                piece = self.read(descriptor, size)
            except BlockingIOError:
                return found
            if not piece:
                return found
            found += piece

    def fill(self, descriptor: Descriptor) -> int:
        """Writes to a non-blocking descriptor until not even one byte fits: how many bytes it took."""
        written = 0
        chunk = b"x" * 65536
        while True:
            try:
                written += self.write(descriptor, chunk)
            except BlockingIOError:
                if len(chunk) == 1:
                    return written
                chunk = chunk[: len(chunk) // 2]

    def shrink_pipe(self, descriptor: Descriptor) -> int:
        """fcntl(F_SETPIPE_SZ) to one page: how many bytes it holds now."""
        fd = number_of(descriptor)
        return calls.described(
            "fcntl",
            f"{fd}, F_SETPIPE_SZ, {mmap.PAGESIZE}",
            lambda: fcntl.fcntl(fd, _F_SETPIPE_SZ, mmap.PAGESIZE),
        )

    def set_nonblocking(self, descriptor: Descriptor, on: bool = True) -> None:
        """Sets or clears O_NONBLOCK, which belongs to every holder of the open file description."""
        fd = number_of(descriptor)
        flags = fcntl.fcntl(fd, fcntl.F_GETFL)
        wanted = flags | os.O_NONBLOCK if on else flags & ~os.O_NONBLOCK
        shown = calls.open_flags(wanted)
        calls.described("fcntl", f"{fd}, F_SETFL, {shown}", lambda: fcntl.fcntl(fd, fcntl.F_SETFL, wanted))

    def status_flags(self, descriptor: Descriptor) -> int:
        """fcntl(F_GETFL)."""
        fd = number_of(descriptor)
        return calls.described("fcntl", f"{fd}, F_GETFL", lambda: fcntl.fcntl(fd, fcntl.F_GETFL), hex)

    def is_cloexec(self, descriptor: Descriptor) -> bool:
        """Whether FD_CLOEXEC is set."""
        fd = number_of(descriptor)
        flags = calls.described("fcntl", f"{fd}, F_GETFD", lambda: fcntl.fcntl(fd, fcntl.F_GETFD))
        return bool(flags & fcntl.FD_CLOEXEC)

    def poll(
        self, descriptor: Descriptor, events: int = EpollEvents.EPOLLIN, within: float | None = 0.0
    ) -> EpollEvents:
        """poll(2) of one descriptor: its revents, 0 at the timeout. POLL* and EPOLL* bits are the same."""
        back = linux.ffi.new("int *")
        result = linux.lib.evk_poll_one(number_of(descriptor), events, self.milliseconds(within), back)
        if result < 0:
            fail(result, "poll", number_of(descriptor), events)
        return EpollEvents(back[0] if result else 0)

    def fdinfo(self, descriptor: Descriptor) -> dict[str, str]:
        """/proc/self/fdinfo, its `key: value` lines."""
        return read_fdinfo(number_of(descriptor))

    def interest_list(self, epoll: Descriptor) -> list[Registration]:
        """The registrations of an epoll, from its fdinfo."""
        return read_interest_list(number_of(epoll))

    def is_registered(self, epoll: Descriptor, descriptor: Descriptor, tfd: int, toff: int = 0) -> bool:
        """kcmp(KCMP_EPOLL_TFD): whether entry number `toff` of those registered as `tfd` means this open file.

        Raises:
            CallError: ENOENT, no such entry; EPERM, ENOSYS.
        """
        me = os.getpid()
        return is_epoll_target(me, number_of(descriptor), me, number_of(epoll), tfd, toff)
