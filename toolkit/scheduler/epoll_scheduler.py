"""A coroutine scheduler on epoll that a signal ends cleanly."""

import os
import socket
import time
from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack
from types import TracebackType

from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor, number_of
from toolkit.scheduler.exit_ways import EXIT_WORD, WAYS, Log, Way
from toolkit.scheduler.instructions import (
    Deadline,
    Instruction,
    NextTurn,
    Parked,
    Readiness,
    Suspended,
    suspend,
)
from toolkit.scheduler.interest import InterestList
from toolkit.scheduler.timers import Timers

_IN = int(EPOLLIN)
_OUT = int(EPOLLOUT)
_READS_WITHOUT_A_PAUSE = 16


class EpollScheduler:
    """Implements `toolkit.scheduler.interface.Scheduler`. A context manager; one thread makes, runs and closes it."""

    def __init__(
        self, signals: Iterable[int] = (), exit_by: Way = WAYS["signalfd"], log: Log = lambda _line: None
    ) -> None:
        """`signals` end `run`; `exit_by` is how they are noticed; `log` receives one line for each step of that.

        Raises:
            CallError: what epoll_create1, signalfd, eventfd or epoll_ctl said; nothing is left behind then.
            ValueError: a signal outside 1..64, or a way that needs the main thread was asked for in another.
        """
        self._log = log
        self._stack = ExitStack()
        self._runnable: deque[Suspended] = deque()
        self._timers = Timers()
        self._parked: list[deque[Suspended]] = []
        self._alive = 0
        self._reads_in_a_row = 0
        try:
            self._epoll = self._stack.enter_context(Epoll())
            self._exit = exit_by(signals, self._epoll, log)
            self._stack.callback(self._exit.close)
        except BaseException:
            self._stack.close()
            raise
        self._interests = InterestList(self._epoll)

    # --- the interface ---

    def spawn(self, coroutine: Suspended) -> None:
        """Takes a coroutine over; it starts at the next turn of the loop."""
        self._alive += 1
        self._runnable.append(coroutine)

    def resume(self, coroutine: Suspended) -> None:
        """Gives back a coroutine that was `Parked`; it goes on at the next turn of the loop."""
        self._runnable.append(coroutine)

    def run(self) -> int | None:
        """Runs until every coroutine has finished (None), or an exit signal came (its number)."""
        while True:
            self._turn()
            if not self._alive:
                return None
            events = self._exit.wait(self._timeout_ms())
            number = self._exit.detected(events)
            if number is not None:
                self._log(f"signal {number} detected, exit...")
                return number
            for ticket, bits in events:
                if ticket != EXIT_WORD:
                    self._runnable.extend(self._interests.wake(ticket, bits))
            self._fire_timers()

    def close(self) -> None:
        """Closes every suspended coroutine, then the descriptors, then gives the signals back.

        Raises:
            BaseException: the first thing a coroutine's `finally` raised; the others were closed all the same.
        """
        suspended = [*self._runnable, *self._timers.take_all(), *self._interests.take_all()]
        suspended += [coroutine for queue in self._parked for coroutine in queue]
        self._runnable.clear()
        self._parked.clear()
        self._alive = 0
        with self._stack, ExitStack() as closing:
            for coroutine in suspended:
                closing.callback(coroutine.close)

    def __enter__(self) -> "EpollScheduler":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # --- what coroutines await ---

    async def read(self, source: Descriptor, size: int) -> bytes:
        """Reads first and waits only on EAGAIN; `source` must be non-blocking.

        Raises:
            OSError: as read(2).
        """
        fd = number_of(source)
        while True:
            try:
                data = os.read(fd, size)
            except BlockingIOError:
                await self.readable(fd)
            else:
                await self._let_others_run()
                return data

    async def accept(self, listener: socket.socket) -> socket.socket:
        """The next connection of a non-blocking listener, itself non-blocking; the caller owns it."""
        while True:
            try:
                connection, _ = listener.accept()
            except BlockingIOError:
                await self.readable(listener)
            else:
                connection.setblocking(False)
                await self._let_others_run()
                return connection

    async def recv(self, connection: socket.socket, size: int) -> bytes:
        """As `read`, from a socket."""
        return await self.read(connection, size)

    async def send(self, connection: socket.socket, data: bytes) -> None:
        """Sends all of `data`, waiting whenever the peer's window is full.

        Raises:
            OSError: EPIPE or ECONNRESET when the peer has gone; no SIGPIPE is raised.
        """
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[connection.send(rest, socket.MSG_NOSIGNAL) :]
            except BlockingIOError:
                await self.writable(connection)
        await self._let_others_run()

    async def readable(self, descriptor: Descriptor) -> None:
        """Waits for EPOLLIN (or an error or hang-up). At once for what epoll does not take: regular files."""
        await suspend(Readiness(number_of(descriptor), _IN))

    async def writable(self, descriptor: Descriptor) -> None:
        """Waits for EPOLLOUT (or an error or hang-up). At once for what epoll does not take: regular files."""
        await suspend(Readiness(number_of(descriptor), _OUT))

    async def sleep(self, seconds: float) -> None:
        """Resumes after `seconds`, never earlier."""
        await suspend(Deadline(time.monotonic() + seconds))

    async def _let_others_run(self) -> None:
        """A source that never runs dry would keep its coroutine running for ever: a pause now and then lets the
        others, and the exit signal, have their turn."""
        self._reads_in_a_row += 1
        if self._reads_in_a_row >= _READS_WITHOUT_A_PAUSE:
            await suspend(NextTurn())

    # --- the loop's parts ---

    def _turn(self) -> None:
        """Resumes what is runnable now; what becomes runnable meanwhile waits for the next turn."""
        for _ in range(len(self._runnable)):
            self._step(self._runnable.popleft(), None)

    def _step(self, coroutine: Suspended, error: Exception | None) -> None:
        self._reads_in_a_row = 0
        try:
            instruction = coroutine.send(None) if error is None else coroutine.throw(error)
        except StopIteration:
            self._alive -= 1
        except BaseException:
            self._alive -= 1
            raise
        else:
            self._obey(instruction, coroutine)

    def _obey(self, instruction: Instruction, coroutine: Suspended) -> None:
        if isinstance(instruction, Readiness):
            try:
                parked = self._interests.park(instruction.descriptor, instruction.event, coroutine)
            except (OSError, RuntimeError) as error:
                self._step(coroutine, error)  # whoever awaited learns of it
                return
            if not parked:
                self._runnable.append(coroutine)
        elif isinstance(instruction, Deadline):
            self._timers.add(instruction.at, coroutine)
        elif isinstance(instruction, Parked):
            instruction.queue.append(coroutine)
            if not any(queue is instruction.queue for queue in self._parked):
                self._parked.append(instruction.queue)
        else:
            self._runnable.append(coroutine)

    def _timeout_ms(self) -> int:
        longest = self._exit.longest_wait_ms
        if self._runnable:
            return 0
        due = self._timers.next_due_ms()
        if due is None:
            return longest
        return due if longest < 0 else min(due, longest)

    def _fire_timers(self) -> None:
        self._runnable.extend(self._timers.take_due())
