"""epoll(7): interest lists and waiting on them."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from struct import Struct, pack
from struct import error as StructError  # noqa: N812  a class
from typing import Any, NoReturn

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EPOLL_CLOEXEC, EpollEvents, EpollOp
from toolkit.ffi.siginfo import mask_of
from toolkit.primitives.owned import Descriptor, OwnedDescriptor, number_of

__all__ = ["EPOLL_CLOEXEC", "Epoll", "EpollEvents", "EpollOp", "Event"]

Event = tuple[int, int]
"""`(data, events)`: the 64-bit word given at registration, and the event bits."""

_Buffer = tuple[
    Any, Any, int
]  # cffi memory, the same as a buffer object, for that many pairs of 64-bit words
_pair_of = Struct("=QQ").unpack_from
_pairs_of = Struct("=QQ").iter_unpack
_PAIR_BYTES = 16

# INT_MAX / sizeof(struct epoll_event): fs/eventpoll.c, EP_MAX_EVENTS
_MAXEVENTS_LIMIT = (2**31 - 1) // linux.ffi.sizeof("struct epoll_event")
_ADD = int(EpollOp.EPOLL_CTL_ADD)
_MOD = int(EpollOp.EPOLL_CTL_MOD)
_DEL = int(EpollOp.EPOLL_CTL_DEL)
_NANOSECONDS = 1_000_000_000
_DATA_BITS = 24  # evk_epoll_wait_one packs events above so much data
_DATA = 2**_DATA_BITS - 1


class Epoll(OwnedDescriptor):
    """An epoll instance. Never retries on EINTR: that is for the loop above to decide.

    One instance may be waited on by several threads at once: each wait has its own buffer unless it is the only one.
    """

    __slots__ = ("_spares",)

    def __init__(self, flags: int = EPOLL_CLOEXEC) -> None:
        """epoll_create1(2).

        Raises:
            CallError: EINVAL for unknown flags, EMFILE, ENFILE, ENOMEM.
        """
        fd = linux.lib.evk_epoll_create1(flags)
        if fd < 0:
            fail(fd, "epoll_create1", flags)
        self._take(fd)

    @classmethod
    def adopt(cls, fd: int) -> "Epoll":
        """Takes ownership of an epoll descriptor made elsewhere."""
        adopted = cls.__new__(cls)
        adopted._take(fd)
        return adopted

    @classmethod
    def sized(cls, size: int) -> "Epoll":
        """epoll_create(2), whose size is only a hint but must be positive.

        Raises:
            CallError: EINVAL for a size of 0 or less, EMFILE, ENFILE, ENOMEM.
        """
        fd = linux.lib.evk_epoll_create(size)
        if fd < 0:
            fail(fd, "epoll_create", size)
        return cls.adopt(fd)

    def _take(self, fd: int) -> None:
        OwnedDescriptor.__init__(self, fd)
        self._spares: list[_Buffer] = []

    # --- the interest list: epoll_ctl(2) ---

    def add(self, descriptor: Descriptor, events: int, data: int | None = None) -> None:
        """EPOLL_CTL_ADD. `data` is any unsigned 64-bit word; without it, the descriptor's number.

        Raises:
            CallError: EEXIST, EBADF, EPERM (a file that cannot be polled), EINVAL, ELOOP, ENOSPC, ENOMEM.
            ValueError: this epoll is closed.
        """
        try:
            if data is None:
                result = linux.evk_epoll_add_self(self._fd, descriptor, events)
            else:
                result = linux.evk_epoll_add(self._fd, descriptor, events, data)
        except TypeError:  # an object with a descriptor
            self._ctl(_ADD, descriptor, events, data)
            return
        if result < 0:
            self._ctl_failed(result, _ADD, descriptor, events, data)

    def modify(self, descriptor: Descriptor, events: int, data: int | None = None) -> None:
        """EPOLL_CTL_MOD: replaces events and data together, and looks at the target anew.

        Raises:
            CallError: ENOENT, EBADF, EINVAL (EPOLLEXCLUSIVE), EPERM.
            ValueError: this epoll is closed.
        """
        try:
            if data is None:
                result = linux.evk_epoll_mod_self(self._fd, descriptor, events)
            else:
                result = linux.evk_epoll_mod(self._fd, descriptor, events, data)
        except TypeError:  # an object with a descriptor
            self._ctl(_MOD, descriptor, events, data)
            return
        if result < 0:
            self._ctl_failed(result, _MOD, descriptor, events, data)

    def remove(self, descriptor: Descriptor) -> None:
        """EPOLL_CTL_DEL.

        Raises:
            CallError: ENOENT, EBADF, EPERM.
            ValueError: this epoll is closed.
        """
        fd = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        result = linux.evk_epoll_del(self._fd, fd)
        if result < 0:
            self._ctl_failed(result, _DEL, fd, 0, 0)

    def _ctl(self, op: int, descriptor: Descriptor, events: int, data: int | None) -> None:
        fd = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        if data is None:
            data = fd & 0xFFFFFFFFFFFFFFFF
        call = linux.evk_epoll_add if op == _ADD else linux.evk_epoll_mod
        result = call(self._fd, fd, events, data)
        if result < 0:
            self._ctl_failed(result, op, fd, events, data)

    def _ctl_failed(
        self, result: int, op: int, descriptor: Descriptor, events: int, data: int | None
    ) -> NoReturn:
        fd = number_of(descriptor)
        self._fail(result, "epoll_ctl", op, fd, events, hex(fd if data is None else data))

    def modify_many(self, entries: Sequence[tuple[Descriptor, int, int]]) -> None:
        """EPOLL_CTL_MOD for each `(descriptor, events, data)` in one call to C.

        Raises:
            CallError: the first failure, with that entry's arguments; the entries before it are done.
            ValueError: this epoll is closed.
        """
        flat: bytes | array[int]
        try:
            flat = pack(f"{3 * len(entries)}Q", *chain.from_iterable(entries))
        except StructError:  # an object with a descriptor, or a number to be looked at
            flat = array("Q", (word for fd, *rest in entries for word in (number_of(fd), *rest)))
        done = linux.ffi.new("int *")
        epfd = self.fileno()
        result = linux.lib.evk_epoll_ctl_many(
            epfd, _MOD, linux.ffi.from_buffer("uint64_t[]", flat), len(entries), done
        )
        if result < 0:
            fd, events, data = entries[done[0]]
            fail(result, "epoll_ctl", epfd, _MOD, number_of(fd), events, hex(data))

    # --- waiting: epoll_wait(2) ---

    def wait(self, maxevents: int = 64, timeout_ms: int = -1) -> list[Event]:
        """Up to `maxevents` pairs `(data, events)`; empty at the timeout. -1 waits without end.

        Raises:
            CallError: EINTR when a handler ran; EINVAL for a `maxevents` below 1 or too large.
            ValueError: closed.
        """
        buffer = self._borrow(maxevents)
        count = linux.evk_epoll_wait(self._fd, buffer[0], maxevents, timeout_ms)
        if count == 1:  # what `_events` does, without its call: of the usual wait that is a tenth
            events: list[Event] = [_pair_of(buffer[1])]
            self._spares.append(buffer)
            return events
        return self._events(buffer, count, "epoll_wait", maxevents, timeout_ms)

    def wait_flat(self, maxevents: int = 64, timeout_ms: int = -1) -> list[int]:
        """As `wait`, as one flat list `[data, events, data, events, ...]`: the fastest batch."""
        buffer = self._borrow(maxevents)
        count = linux.evk_epoll_wait(self._fd, buffer[0], maxevents, timeout_ms)
        flat: list[int] = linux.ffi.unpack(buffer[0], 2 * count) if count > 0 else []
        self._spares.append(buffer)
        if count < 0:
            self._fail(count, "epoll_wait", maxevents, timeout_ms)
        return flat

    def wait_one(self, timeout_ms: int = -1) -> Event | None:
        """One pair `(data, events)`, or None at the timeout: the cheapest wait for a single event.

        Raises:
            CallError: EINTR when a handler ran.
            ValueError: closed.
        """
        word = linux.evk_epoll_wait_one(self._fd, timeout_ms)
        if word > 0:
            return word & _DATA, word >> _DATA_BITS
        if word == 0:
            return None
        pair = linux.ffi.new("uint64_t[2]")
        result = linux.compiled.evk_epoll_wait_one_result(word, pair)
        if result < 0:
            self._fail(result, "epoll_wait", 1, timeout_ms)
        return pair[0], pair[1]

    def pwait(self, signals: Iterable[int] | None, maxevents: int = 64, timeout_ms: int = -1) -> list[Event]:
        """epoll_pwait(2): waits with `signals` blocked instead of the thread's mask; None leaves the mask alone.

        Raises:
            CallError: as `wait`.
            ValueError: closed, or a signal outside 1..64.
        """
        mask = linux.ffi.NULL if signals is None else linux.ffi.new("uint64_t *", mask_of(signals))
        buffer = self._borrow(maxevents)
        count = linux.lib.evk_epoll_pwait(self._fd, buffer[0], maxevents, timeout_ms, mask)
        return self._events(buffer, count, "epoll_pwait", maxevents, timeout_ms)

    def pwait2(
        self, signals: Iterable[int] | None = None, maxevents: int = 64, timeout_ns: int | None = None
    ) -> list[Event]:
        """epoll_pwait2(2), since Linux 5.11: as `pwait` with a timeout in nanoseconds; None waits without end.

        Raises:
            CallError: as `wait`; ENOSYS before Linux 5.11; EINVAL for a negative timeout.
            ValueError: closed, or a signal outside 1..64.
        """
        mask = linux.ffi.NULL if signals is None else linux.ffi.new("uint64_t *", mask_of(signals))
        timeout = linux.ffi.NULL
        if timeout_ns is not None:
            timeout = linux.ffi.new("int64_t[2]", divmod(timeout_ns, _NANOSECONDS))
        buffer = self._borrow(maxevents)
        count = linux.lib.evk_epoll_pwait2(self._fd, buffer[0], maxevents, timeout, mask)
        return self._events(buffer, count, "epoll_pwait2", maxevents, timeout_ns)

    def busy_poll(self) -> tuple[int, int, int]:
        """EPIOCGPARAMS (ioctl_eventpoll(2), Linux 6.9): `(busy_poll_usecs, busy_poll_budget, prefer_busy_poll)`.

        Raises:
            CallError: ENOTTY or EINVAL where the kernel lacks it.
        """
        params = linux.ffi.new("uint32_t[3]")
        result = linux.lib.evk_epoll_get_params(self.fileno(), params)
        if result < 0:
            fail(result, "ioctl", self._fd, "EPIOCGPARAMS")
        return params[0], params[1], params[2]

    def set_busy_poll(self, usecs: int, budget: int, prefer: int = 0, pad: int = 0) -> None:
        """EPIOCSPARAMS (ioctl_eventpoll(2), Linux 6.9).

        Raises:
            CallError: EINVAL for values out of range or a non-zero pad, EPERM for a budget above NAPI's weight
                without CAP_NET_ADMIN, ENOTTY where the kernel lacks it.
        """
        result = linux.lib.evk_epoll_set_params(self.fileno(), usecs, budget, prefer, pad)
        if result < 0:
            fail(result, "ioctl", self._fd, "EPIOCSPARAMS", usecs, budget, prefer)

    def _borrow(self, maxevents: int) -> _Buffer:
        """Takes a buffer out, in one atomic step, so that a second thread in a wait has its own."""
        try:
            spare = self._spares.pop()
            if spare[2] >= maxevents:
                return spare
        except IndexError:  # another thread waits with it
            pass
        # an absurd maxevents gets a small buffer: the kernel refuses it before it writes
        size = maxevents if 1 <= maxevents <= _MAXEVENTS_LIMIT else 1
        pairs = linux.ffi.new("uint64_t[]", 2 * size)
        return pairs, linux.ffi.buffer(pairs), size

    def _events(self, buffer: _Buffer, count: int, call: str, *arguments: object) -> list[Event]:
        """The first `count` pairs of `buffer`, which is given back."""
        if count == 1:
            events: list[Event] = [_pair_of(buffer[1])]
        elif count > 1:
            events = list(_pairs_of(buffer[1][: _PAIR_BYTES * count]))
        else:
            events = []
        self._spares.append(buffer)
        if count < 0:
            self._fail(count, call, *arguments)
        return events
