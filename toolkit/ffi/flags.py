"""The primitives' flags under the names the man pages give them, with values the build checked."""

from collections.abc import Iterable
from enum import IntEnum, IntFlag
from typing import Final

from toolkit.ffi.eventfd_flags import EFD_CLOEXEC as EFD_CLOEXEC
from toolkit.ffi.eventfd_flags import EFD_NONBLOCK as EFD_NONBLOCK
from toolkit.ffi.eventfd_flags import EFD_SEMAPHORE as EFD_SEMAPHORE
from toolkit.ffi.eventfd_flags import EventFdFlags as EventFdFlags
from toolkit.ffi.linux import compiled as _lib


class EpollEvents(IntFlag):
    """Event bits and input flags of `struct epoll_event` (epoll_ctl(2))."""

    EPOLLIN = _lib.EPOLLIN
    EPOLLPRI = _lib.EPOLLPRI
    EPOLLOUT = _lib.EPOLLOUT
    EPOLLERR = _lib.EPOLLERR
    EPOLLHUP = _lib.EPOLLHUP
    EPOLLNVAL = _lib.EPOLLNVAL
    EPOLLRDNORM = _lib.EPOLLRDNORM
    EPOLLRDBAND = _lib.EPOLLRDBAND
    EPOLLWRNORM = _lib.EPOLLWRNORM
    EPOLLWRBAND = _lib.EPOLLWRBAND
    EPOLLMSG = _lib.EPOLLMSG
    EPOLLRDHUP = _lib.EPOLLRDHUP
    EPOLL_URING_WAKE = _lib.EPOLL_URING_WAKE
    EPOLLEXCLUSIVE = _lib.EPOLLEXCLUSIVE
    EPOLLWAKEUP = _lib.EPOLLWAKEUP
    EPOLLONESHOT = _lib.EPOLLONESHOT
    EPOLLET = _lib.EPOLLET


class EpollCreate(IntFlag):
    """Flags of epoll_create1(2)."""

    EPOLL_CLOEXEC = _lib.EPOLL_CLOEXEC


class EpollOp(IntEnum):
    """Operations of epoll_ctl(2)."""

    EPOLL_CTL_ADD = _lib.EPOLL_CTL_ADD
    EPOLL_CTL_DEL = _lib.EPOLL_CTL_DEL
    EPOLL_CTL_MOD = _lib.EPOLL_CTL_MOD


class SignalFdFlags(IntFlag):
    """Flags of signalfd(2)."""

    SFD_NONBLOCK = _lib.SFD_NONBLOCK
    SFD_CLOEXEC = _lib.SFD_CLOEXEC


EPOLLIN: Final = EpollEvents.EPOLLIN
EPOLLPRI: Final = EpollEvents.EPOLLPRI
EPOLLOUT: Final = EpollEvents.EPOLLOUT
EPOLLERR: Final = EpollEvents.EPOLLERR
EPOLLHUP: Final = EpollEvents.EPOLLHUP
EPOLLNVAL: Final = EpollEvents.EPOLLNVAL
EPOLLRDNORM: Final = EpollEvents.EPOLLRDNORM
EPOLLRDBAND: Final = EpollEvents.EPOLLRDBAND
EPOLLWRNORM: Final = EpollEvents.EPOLLWRNORM
EPOLLWRBAND: Final = EpollEvents.EPOLLWRBAND
EPOLLMSG: Final = EpollEvents.EPOLLMSG
EPOLLRDHUP: Final = EpollEvents.EPOLLRDHUP
EPOLL_URING_WAKE: Final = EpollEvents.EPOLL_URING_WAKE
EPOLLEXCLUSIVE: Final = EpollEvents.EPOLLEXCLUSIVE
EPOLLWAKEUP: Final = EpollEvents.EPOLLWAKEUP
EPOLLONESHOT: Final = EpollEvents.EPOLLONESHOT
EPOLLET: Final = EpollEvents.EPOLLET

EPOLL_CLOEXEC: Final = EpollCreate.EPOLL_CLOEXEC
EPOLL_CTL_ADD: Final = EpollOp.EPOLL_CTL_ADD
EPOLL_CTL_DEL: Final = EpollOp.EPOLL_CTL_DEL
EPOLL_CTL_MOD: Final = EpollOp.EPOLL_CTL_MOD

SFD_NONBLOCK: Final = SignalFdFlags.SFD_NONBLOCK
SFD_CLOEXEC: Final = SignalFdFlags.SFD_CLOEXEC


def names(value: int, flags: type[IntFlag]) -> list[str]:
    """The names of the bits set in `value`, lowest first; bits without a name as one hex number at the end."""
    found: list[str] = []
    rest = value
    for flag in flags:
        if value & flag == flag:
            found.append(str(flag.name))
            rest &= ~int(flag)
    if rest:
        found.append(hex(rest))
    return found


def spell(value: int, flags: type[IntFlag]) -> str:
    """`EPOLLIN|EPOLLET`, as strace writes flags; `0` when none is set."""
    return "|".join(names(value, flags)) or "0"


def events_from(names_or_values: Iterable[str | int]) -> EpollEvents:
    """Event bits from words such as `in`, `EPOLLRDHUP` or numbers.

    Raises ValueError naming the unknown word and the known ones.
    """
    events = EpollEvents(0)
    for word in names_or_values:
        if isinstance(word, int):
            events |= word
            continue
        short = word.upper().removeprefix("EPOLL").removeprefix("_")
        known = {
            name.removeprefix("EPOLL").removeprefix("_"): flag
            for name, flag in EpollEvents.__members__.items()
        }
        if short not in known:
            raise ValueError(f"unknown event {word!r}; known are {', '.join(known).lower()}")
        events |= known[short]
    return events
