"""Probes of eventfd(2)."""

import os

from toolkit.features.trying import MissingError, Probe
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EFD_SEMAPHORE, EventFd
from toolkit.primitives.fdinfo import read_fdinfo

_RWF_NOWAIT = getattr(os, "RWF_NOWAIT", 8)  # preadv2(2)


def _create() -> None:
    with EventFd(7, EFD_CLOEXEC | EFD_NONBLOCK) as eventfd:
        if eventfd.read() != 7:
            raise MissingError("the initial value did not come back")
        try:
            eventfd.read()
        except BlockingIOError:
            return
        raise MissingError("a second read gave something")


def _semaphore() -> None:
    with EventFd(2, EFD_SEMAPHORE | EFD_NONBLOCK) as eventfd:
        taken = [eventfd.read(), eventfd.read()]
        if taken != [1, 1]:
            raise MissingError(f"two reads of a semaphore at 2 gave {taken}")


def _no_wait() -> None:
    with EventFd(0, EFD_CLOEXEC) as eventfd:
        try:
            os.preadv(eventfd.fileno(), [bytearray(8)], -1, _RWF_NOWAIT)
        except BlockingIOError:
            return
        raise MissingError("the read did not say EAGAIN")


def _field(name: str, flags: int = EFD_CLOEXEC) -> None:
    with EventFd(1, flags) as eventfd:
        if name not in read_fdinfo(eventfd.fileno()):
            raise MissingError(f"fdinfo has no line {name!r}")


PROBES = {
    "eventfd2": Probe("eventfd", "creating one with flags", _create),
    "eventfd_semaphore": Probe("eventfd", "EFD_SEMAPHORE: one unit a read", _semaphore),
    "eventfd_rwf_nowait": Probe("eventfd", "RWF_NOWAIT: one read that does not block", _no_wait),
    "eventfd_fdinfo_count": Probe("eventfd", "/proc tells the counter", lambda: _field("eventfd-count")),
    "eventfd_fdinfo_id": Probe("eventfd", "/proc tells which eventfd it is", lambda: _field("eventfd-id")),
    "eventfd_fdinfo_semaphore": Probe(
        "eventfd", "/proc tells a semaphore", lambda: _field("eventfd-semaphore", EFD_SEMAPHORE)
    ),
}
