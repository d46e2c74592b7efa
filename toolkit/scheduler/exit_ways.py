"""Five ways to let a signal end an event loop: what each registers, how it waits, how it notices.

A way is made for one epoll and one thread. `wait` stands in for `Epoll.wait`; `detected` is asked after every wait,
before any ordinary event is handled. See signalfd(2), signal(7), epoll_pwait(2).
"""

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from types import FrameType

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll, Event
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SignalFd, blocked

EXIT_WORD = 2**64 - 1
"""The data word under which a way registers its descriptor; the scheduler's own words count up from 0."""

FLAG_TICK_MS = 100
"""The longest wait under `flag`: what a missed signal costs."""

Log = Callable[[str], None]


class ExitWay(ABC):
    """What all ways share: `longest_wait_ms` (-1: no bound), and `close`, which gives the signals back."""

    longest_wait_ms = -1

    def __init__(self, signals: Iterable[int], epoll: Epoll, log: Log) -> None:
        self._signals = frozenset(int(number) for number in signals)
        self._epoll = epoll
        self._stack = ExitStack()
        try:
            self._register(log)
        except BaseException:
            self._stack.close()
            raise

    def wait(self, timeout_ms: int) -> list[Event]:
        """Ready descriptors; a signal that interrupts the wait (EINTR) ends it like a timeout."""
        try:
            return self._epoll.wait(64, timeout_ms)
        except InterruptedError:
            return []

    @abstractmethod
    def detected(self, events: list[Event]) -> int | None:
        """The exit signal that has come, if any, given what the last wait returned."""

    def close(self) -> None:
        """Closes descriptors, restores handlers and mask."""
        self._stack.close()

    @abstractmethod
    def _register(self, log: Log) -> None:
        """Registers whatever notices the signals, so that `close` gives it back."""

    def _watch(self, descriptor: int, log: Log) -> None:
        self._epoll.add(descriptor, EPOLLIN, EXIT_WORD)
        for number in sorted(self._signals):
            log(f"register signal {number} as fd {descriptor}")

    def _handle(self, handler: Callable[[int, FrameType | None], None]) -> None:
        for number in self._signals:
            self._stack.callback(signal.signal, number, signal.signal(number, handler))


class SignalFdExit(ExitWay):
    """The signals are blocked and read from a descriptor. Other threads must block them too: any may take them."""

    def _register(self, log: Log) -> None:
        self._stack.enter_context(blocked(self._signals))
        self._descriptor = self._stack.enter_context(SignalFd(self._signals, SFD_NONBLOCK | SFD_CLOEXEC))
        self._watch(self._descriptor.fileno(), log)

    def detected(self, events: list[Event]) -> int | None:
        if not any(data == EXIT_WORD for data, _ in events):
            return None
        return self._descriptor.read(1)[0].ssi_signo


class SelfPipeExit(ExitWay):
    """The interpreter's C handler writes the signal's number to a pipe (signal.set_wakeup_fd).

    A handler written in Python would not do: it runs only after the wait has returned, so it would have the
    flag's race.
    """

    def _register(self, log: Log) -> None:
        self._reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._stack.callback(os.close, self._reader)
        self._stack.callback(os.close, writer)
        self._stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer, warn_on_full_buffer=False))
        self._handle(lambda _number, _frame: None)
        self._watch(self._reader, log)

    def detected(self, events: list[Event]) -> int | None:
        if not any(data == EXIT_WORD for data, _ in events):
            return None
        # the pipe also carries signals that somebody else handles in this process
        return next((number for number in os.read(self._reader, 4096) if number in self._signals), None)


class EventFdExit(ExitWay):
    """A handler in C adds 1 to an eventfd, one a signal (cdefs/linux/handlers.c): a write of 8 bytes, which
    set_wakeup_fd cannot make."""

    def _register(self, log: Log) -> None:
        self._counters: dict[int, EventFd] = {}
        for number in sorted(self._signals):
            counter = self._stack.enter_context(EventFd(0, EFD_NONBLOCK | EFD_CLOEXEC))
            result = linux.lib.evk_handler_install(number, counter.fileno())
            if result < 0:
                fail(result, "sigaction", number)
            self._stack.callback(linux.lib.evk_handler_remove, number)
            self._counters[number] = counter
            self._epoll.add(counter, EPOLLIN, EXIT_WORD)
            log(f"register signal {number} as fd {counter.fileno()}")

    def detected(self, events: list[Event]) -> int | None:
        if not any(data == EXIT_WORD for data, _ in events):
            return None
        for number, counter in self._counters.items():
            try:
                counter.read()
            except BlockingIOError:
                continue
            return number
        return None


class FlagExit(ExitWay):
    """A handler sets a flag that is tested after each wait: quick when the signal interrupts the wait, a whole
    `longest_wait_ms` when it comes just before it, or is taken by another thread."""

    def __init__(
        self, signals: Iterable[int], epoll: Epoll, log: Log, longest_wait_ms: int = FLAG_TICK_MS
    ) -> None:
        self.longest_wait_ms = longest_wait_ms
        self._caught: int | None = None
        super().__init__(signals, epoll, log)

    def _register(self, log: Log) -> None:
        self._handle(self._catch)
        for number in sorted(self._signals):
            log(f"register signal {number} as a flag")

    def _catch(self, number: int, _frame: FrameType | None) -> None:
        self._caught = number

    def detected(self, events: list[Event]) -> int | None:
        return self._caught


class PwaitExit(FlagExit):
    """The flag without its race: the signals are blocked except inside epoll_pwait(2), which unblocks them and
    waits in one step.

    The kernel looks at signals only before it sleeps, so a wait that finds events ready, or does not sleep at all,
    delivers none (fs/eventpoll.c, ep_poll). A busy loop would never end; hence the look at the pending set.
    """

    def __init__(self, signals: Iterable[int], epoll: Epoll, log: Log) -> None:
        super().__init__(signals, epoll, log, longest_wait_ms=-1)

    def _register(self, log: Log) -> None:
        before = self._stack.enter_context(blocked(self._signals))
        self._open_mask = [number for number in before if number not in self._signals]
        super()._register(log)

    def wait(self, timeout_ms: int) -> list[Event]:
        try:
            return self._epoll.pwait(self._open_mask, 64, timeout_ms)
        except InterruptedError:
            return []

    def detected(self, events: list[Event]) -> int | None:
        if self._caught is None:
            pending = sorted(self._signals.intersection(signal.sigpending()))
            self._caught = int(signal.sigwait(pending[:1])) if pending else None
        return self._caught


Way = Callable[[Iterable[int], Epoll, Log], ExitWay]

WAYS: dict[str, Way] = {
    "signalfd": SignalFdExit,
    "self-pipe": SelfPipeExit,
    "eventfd": EventFdExit,
    "flag": FlagExit,
    "pwait": PwaitExit,
}
"""By the names that `--exit-by` takes."""


def flag_with_tick(longest_wait_ms: int) -> Way:
    """The `flag` way with another tick."""
    return partial(FlagExit, longest_wait_ms=longest_wait_ms)
