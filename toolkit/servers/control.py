"""The main thread's side of a server: exit signals from a signalfd, the tick of live figures, waiting for workers."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType

from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SignalFd, blocked
from toolkit.servers.figures import Figures, ServerFigures
from toolkit.servers.options import ServeOptions
from toolkit.servers.stop import Stop, answer, doorbell, ring

EXIT_SIGNALS = (signal.SIGINT, signal.SIGTERM)
SIGNAL_TOKEN = 0
_ENDED_TOKEN = 1
_MILLISECOND_NS = 1_000_000
_LAST_GRACE_S = 2.0


class Control:
    """Made in the main thread before any worker: threads inherit that the exit signals are blocked, so that the
    signalfd gets them all. Nothing ends by exit() in a handler. With `exit_by="self-pipe"` a handler writes to a pipe
    instead."""

    def __init__(
        self,
        options: ServeOptions,
        when_listening: Callable[[ServerFigures], None] = lambda _figures: None,
        when_due: Callable[[ServerFigures], None] = lambda _figures: None,
    ) -> None:
        self.options = options
        self.stop = Stop(options.drain_timeout_ns)
        self.figures = Figures(options)
        self.failure: BaseException | None = None
        self._when_listening = when_listening
        self._when_due = when_due
        self._every = options.stats_every_ns
        self._due = time.monotonic_ns() + self._every
        self._stack = ExitStack()
        register = self._by_self_pipe if options.exit_by == "self-pipe" else self._by_signalfd
        self._signals, self._read_signals = register()
        self._ended = self._stack.enter_context(doorbell())

    def __enter__(self) -> "Control":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._stack.close()

    def _by_signalfd(self) -> tuple[Descriptor, Callable[[], int]]:
        self._stack.enter_context(blocked(EXIT_SIGNALS))
        signals = self._stack.enter_context(SignalFd(EXIT_SIGNALS, SFD_NONBLOCK | SFD_CLOEXEC))
        return signals, lambda: len(signals.read())

    def _by_self_pipe(self) -> tuple[Descriptor, Callable[[], int]]:
        """The interpreter's C handler writes each signal's number to a pipe (signal.set_wakeup_fd)."""
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._stack.callback(os.close, reader)
        self._stack.callback(os.close, writer)
        self._stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer, warn_on_full_buffer=False))
        for number in EXIT_SIGNALS:
            self._stack.callback(signal.signal, number, signal.signal(number, lambda _number, _frame: None))
        return reader, lambda: sum(number in EXIT_SIGNALS for number in os.read(reader, 64))

    # --- for the loop of the main thread ---

    def listening(self, host: str, port: int) -> None:
        """The server accepts from now on."""
        self.figures.host, self.figures.port = host, port
        self._when_listening(self.figures.record(final=False))

    def watch_signals(self, epoll: Epoll) -> None:
        """Registers the exit signals under SIGNAL_TOKEN; call `on_signal` when it is ready."""
        epoll.add(self._signals, EPOLLIN, SIGNAL_TOKEN)

    @property
    def signal_descriptor(self) -> Descriptor:
        """For a loop that registers descriptors itself."""
        return self._signals

    def on_signal(self) -> None:
        """The first signal asks for a graceful end, the second for one at once."""
        try:
            for _ in range(self._read_signals()):
                self.stop.ask()
        except BlockingIOError:
            pass

    def timeout_ms(self) -> int:
        """Until the next tick of live figures."""
        return max(0, (self._due - time.monotonic_ns()) // _MILLISECOND_NS + 1)

    def tick(self) -> None:
        """Shows live figures when they are due."""
        now = time.monotonic_ns()
        if now >= self._due:
            self._due = now + self._every
            self._when_due(self.figures.record(final=False))

    # --- for workers that are threads ---

    def start(self, name: str, work: Callable[[], None]) -> threading.Thread:
        """Runs `work` in a thread. What it raises ends the server and is raised again by `join`."""

        def guarded() -> None:
            try:
                work()
            except BaseException as error:
                self.failure = self.failure or error
                self.stop.force()
            finally:
                ring(self._ended)

        thread = threading.Thread(target=guarded, name=name, daemon=True)
        thread.start()
        return thread

    def wait_until_stopping(self) -> None:
        """For a main thread that has nothing else to do: signals and live figures until the end is asked for."""
        with self._epoll() as epoll:
            while not self.stop.asked:
                self._wait(epoll)

    def join(self, threads: list[threading.Thread]) -> None:
        """Waits until all have ended, and obeys a second signal meanwhile.

        Raises:
            TimeoutError: a worker did not end though its time was over.
            BaseException: what ended a worker.
        """
        with self._epoll() as epoll:
            while any(thread.is_alive() for thread in threads):
                late_s = (time.monotonic_ns() - self.stop.deadline) / 1e9
                if self.stop.asked and late_s > self._last_grace_s():
                    stuck = ", ".join(thread.name for thread in threads if thread.is_alive())
                    raise TimeoutError(f"still running after the drain timeout: {stuck}")
                self._wait(epoll, longest_ms=50)
        if self.failure is not None:
            raise self.failure

    def _last_grace_s(self) -> float:
        """A worker in the middle of a batch of work notices only afterwards."""
        return _LAST_GRACE_S + 64 * (self.options.work_ns + self.options.slow_ns) / 1e9

    @contextmanager
    def _epoll(self) -> Iterator[Epoll]:
        with Epoll() as epoll:
            self.watch_signals(epoll)
            epoll.add(self._ended, EPOLLIN, _ENDED_TOKEN)
            yield epoll

    def _wait(self, epoll: Epoll, longest_ms: int | None = None) -> None:
        timeout_ms = self.timeout_ms() if longest_ms is None else min(longest_ms, self.timeout_ms())
        try:
            for token, _ in epoll.wait(2, timeout_ms):
                if token == SIGNAL_TOKEN:
                    self.on_signal()
                else:
                    answer(self._ended)
        except InterruptedError:
            pass
        self.tick()
