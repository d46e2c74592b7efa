"""signalfd(2): signals read from a descriptor, and the masks without which it receives nothing."""

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import SFD_CLOEXEC, SFD_NONBLOCK, SignalFdFlags
from toolkit.ffi.siginfo import (
    RECORD_SIZE,
    SigInfo,
    decode,
    mask_of,
    new_tuple,
    signal_name,
    signal_number,
    signals_of,
    unpack,
)
from toolkit.primitives.fdinfo import read_fdinfo
from toolkit.primitives.owned import OwnedDescriptor

__all__ = [
    "SFD_CLOEXEC",
    "SFD_NONBLOCK",
    "SigInfo",
    "SignalFd",
    "SignalFdFlags",
    "blocked",
    "mask_of",
    "signal_name",
    "signal_number",
    "signals_of",
    "sigqueue",
]

_Buffer = tuple[Any, Any, int]  # cffi memory, the same as a buffer object, for that many records
_allocate = linux.ffi.new_allocator(should_clear_after_alloc=False)


class SignalFd(OwnedDescriptor):
    """A signalfd. It takes only signals that are blocked in the reading thread: see `blocked`."""

    __slots__ = ("_spares",)

    def __init__(self, signals: Iterable[int], flags: int = SFD_CLOEXEC) -> None:
        """Creates a signalfd for `signals`. SIGKILL and SIGSTOP are accepted and ignored by the kernel.

        Raises:
            CallError: EINVAL for unknown flags, EMFILE, ENFILE, ENODEV, ENOMEM.
            ValueError: a number outside 1..64.
        """
        super().__init__(_signalfd(-1, mask_of(signals), flags))
        self._spares: list[_Buffer] = []

    @classmethod
    def adopt(cls, fd: int) -> "SignalFd":
        """Takes ownership of a signalfd made elsewhere."""
        adopted = cls.__new__(cls)
        OwnedDescriptor.__init__(adopted, fd)
        adopted._spares = []
        return adopted

    def update(self, signals: Iterable[int], flags: int = 0) -> None:
        """Replaces the mask, for every holder of this open file. `flags` are checked but not applied.

        Raises:
            CallError: EINVAL for unknown flags.
            ValueError: closed, or a number outside 1..64.
        """
        _signalfd(self.fileno(), mask_of(signals), flags)

    def read(self, maximum: int = 16) -> list[SigInfo]:
        """Takes up to `maximum` pending signals; blocks for the first only.

        Raises:
            CallError: EAGAIN when nothing is pending and it is non-blocking; EINTR.
            ValueError: closed.
        """
        try:  # takes a buffer out in one atomic step, so that a second thread in a read has its own
            buffer = self._spares.pop()
        except IndexError:
            buffer = _buffer_for(maximum)
        records, view, room = buffer
        if room < maximum:
            records, view, room = buffer = _buffer_for(maximum)
        size = linux.evk_signalfd_read(self._fd, records, maximum)
        if size == RECORD_SIZE:  # the usual, without another frame
            infos = [new_tuple(SigInfo, unpack(view))]
        elif size > 0:
            infos = decode(view[:size])
        else:
            infos = []
        self._spares.append(buffer)
        if size < 0:
            self._fail(size, "read", maximum * RECORD_SIZE)
        return infos

    def read_number(self) -> int:
        """Takes one pending signal and returns its number only: the cheapest read, for who needs no sender or value.

        Raises:
            CallError: EAGAIN when nothing is pending and it is non-blocking; EINTR.
            ValueError: closed.
        """
        number: int = linux.evk_signalfd_read_number(self._fd)
        if number < 0:
            self._fail(number, "read", RECORD_SIZE)
        return number

    @property
    def signals(self) -> list[int]:
        """The signals this descriptor takes now, from /proc/self/fdinfo (lowest first).

        Raises:
            OSError: /proc is not mounted or forbids it.
            ValueError: closed.
        """
        return signals_of(int(read_fdinfo(self.fileno())["sigmask"], 16))


def _buffer_for(maximum: int) -> _Buffer:
    records = _allocate("char[]", maximum * RECORD_SIZE)
    return records, linux.ffi.buffer(records), maximum


def _signalfd(fd: int, mask: int, flags: int) -> int:
    result: int = linux.lib.evk_signalfd(fd, mask, flags)
    if result < 0:
        fail(result, "signalfd", fd, hex(mask), flags)
    return result


@contextmanager
def blocked(signals: Iterable[int]) -> Iterator[set[int]]:
    """Blocks `signals` in the calling thread and restores its mask afterwards; gives the mask it had.

    The mask belongs to a thread, is copied to threads and processes it starts, and survives exec (sigprocmask(2)).
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield {int(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def sigqueue(pid: int, number: int, value: int = 0) -> None:
    """sigqueue(3): sends signal `number` with a 64-bit `value`, which arrives as `ssi_ptr` and `ssi_int`.

    Negative values are sent as their two's complement.

    Raises:
        CallError: EAGAIN at RLIMIT_SIGPENDING, EPERM, ESRCH, EINVAL for a bad signal.
    """
    result = linux.lib.evk_sigqueue(pid, number, value & (2**64 - 1))
    if result < 0:
        fail(result, "sigqueue", pid, number, value)
