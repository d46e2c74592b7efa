"""A coroutine scheduler on an I/O completion port that Ctrl-C ends cleanly."""

import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from math import ceil
from types import TracebackType
from weakref import WeakKeyDictionary

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import WindowsCallError, error_of
from toolkit.primitives.console_control import ConsoleControl
from toolkit.primitives.iocp import INFINITE, CompletionPort, Packet
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import NotificationModes, OverlappedHandle
from toolkit.primitives.overlapped_socket import ADDRESS_ROOM, OverlappedSocket
from toolkit.scheduler.ended import Ended, packet_of
from toolkit.scheduler.handle_source import HandleSource
from toolkit.scheduler.instructions import Deadline, NextTurn, Suspended, suspend
from toolkit.scheduler.timers import Timers

Log = Callable[[str], None]

_HANDLE_KEY = 1
_EXIT_KEY = 2
_ENDS_WITHOUT_A_PAUSE = 16
_DRAIN_S = 1.0
_SIGBREAK = 21  # signal.SIGBREAK, which only Windows' Python has
_SIGNAL_OF_EVENT = {0: int(signal.SIGINT), 1: _SIGBREAK, 2: int(signal.SIGTERM)}
"""CTRL_C_EVENT, CTRL_BREAK_EVENT, CTRL_CLOSE_EVENT."""


class CompletionPortScheduler:
    """Implements `toolkit.scheduler.interface.Scheduler`. A context manager; one thread makes, runs and closes it.

    Every handle skips its packet when a call succeeds at once, so data that is there costs no wait.
    """

    def __init__(self, signals: Iterable[int] = (), log: Log = lambda _line: None) -> None:
        """`signals` (SIGINT for Ctrl-C, SIGBREAK, SIGTERM for a closed console) end `run`, by a post to the port.

        Raises:
            WindowsCallError: what CreateIoCompletionPort or SetConsoleCtrlHandler said; nothing is left behind then.
        """
        self._log = log
        self._stack = ExitStack()
        self._runnable: deque[tuple[Suspended, Packet | None]] = deque()
        self._timers = Timers()
        self._suspended: dict[Operation, tuple[OverlappedHandle, Suspended]] = {}
        self._bound: WeakKeyDictionary[object, OverlappedHandle] = WeakKeyDictionary()
        self._alive = 0
        self._ends_in_a_row = 0
        self._signals = wanted = frozenset(int(number) for number in signals)
        try:
            self.port = self._stack.enter_context(CompletionPort())
            if wanted:
                self._stack.enter_context(ConsoleControl(lambda event: self._post_exit(event, wanted)))
                for number in sorted(wanted):
                    log(f"register signal {number} with port {self.port.handle:#x}")
        except BaseException:
            self._stack.close()
            raise

    def _post_exit(self, event: int, wanted: frozenset[int]) -> None:
        number = _SIGNAL_OF_EVENT[event]
        if number in wanted:
            self.stop(number)

    # --- the interface ---

    def spawn(self, coroutine: Suspended) -> None:
        """Takes a coroutine over; it starts at the next turn of the loop."""
        self._alive += 1
        self._runnable.append((coroutine, None))

    def run(self) -> int | None:
        """Runs until every coroutine has finished (None), or an exit signal came (its number)."""
        while True:
            self._turn()
            if not self._alive:
                return None
            packets = self.port.wait_many(64, self._timeout_ms())
            number = next((packet.bytes for packet in packets if packet.key == _EXIT_KEY), None)
            for packet in packets:
                self._deliver(packet)
            if number is not None:
                if number in self._signals:
                    self._log(f"signal {number} detected, exit...")
                return number
            self._runnable.extend((one, None) for one in self._timers.take_due())

    def stop(self, number: int) -> None:
        """Ends `run`, which returns `number`; from any thread."""
        self.port.post(number, _EXIT_KEY)

    def close(self) -> None:
        """Cancels what is under way and takes its packets, closes every suspended coroutine, then the port.

        Raises:
            BaseException: the first thing a coroutine's `finally` raised; the others were closed all the same.
        """
        suspended = [coroutine for coroutine, _ in self._runnable]
        suspended += self._timers.take_all()
        suspended += [coroutine for _, coroutine in self._suspended.values()]
        self._runnable.clear()
        self._alive = 0
        with self._stack, ExitStack() as closing:
            closing.callback(self._bound.clear)
            for one in suspended:
                closing.callback(one.close)
            self._cancel_all()

    def _cancel_all(self) -> None:
        """The buffers are the system's until the packets are taken, so they are, within a second."""
        for operation, (handle, _) in self._suspended.items():
            with suppress(WindowsCallError, ValueError):  # closed meanwhile: its packet is on its way already
                handle.cancel(operation)
        end = time.monotonic() + _DRAIN_S
        while self._suspended and (left := end - time.monotonic()) > 0:
            for packet in self.port.wait_many(64, ceil(left * 1000)):
                if packet.operation is not None:
                    self._suspended.pop(packet.operation, None)
        self._suspended.clear()

    def __enter__(self) -> "CompletionPortScheduler":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # --- what coroutines await ---

    async def read(self, source: HandleSource, size: int) -> bytes:
        """Up to `size` bytes from the source's place on, which advances; `b""` at the end.

        Raises:
            WindowsCallError: any failure that is not an end: 38 and 109 are ends.
        """
        operation = Operation(size, offset=source.offset if source.seekable else 0)
        handle = self.bind(source, source.handle)
        try:
            moved = await self.finish(handle, operation, handle.read(operation), "ReadFile")
        except WindowsCallError as error:
            if error.winerror in (windows.lib.ERROR_HANDLE_EOF, windows.lib.ERROR_BROKEN_PIPE):
                return b""
            if (
                error.winerror != windows.lib.ERROR_MORE_DATA
            ):  # a message longer than the buffer: the rest follows
                raise
            moved = operation.transferred
        source.offset += moved
        return operation.data(moved)

    async def accept(self, listener: socket.socket) -> socket.socket:
        """The next connection of a listening socket; the caller owns it.

        Raises:
            WindowsCallError: the listener failed.
        """
        bound = self._bind_socket(listener)
        newcomer = socket.socket(listener.family, socket.SOCK_STREAM)
        try:
            fresh = OverlappedSocket.borrow(newcomer)
            operation = Operation(2 * ADDRESS_ROOM)
            await self.finish(bound, operation, bound.accept(operation, fresh), "AcceptEx")
            fresh.finish_accept(bound)
        except BaseException:
            newcomer.close()
            raise
        return newcomer

    async def connect(self, connection: socket.socket, address: tuple[str, int]) -> None:
        """Connects a bound socket to a numeric address.

        Raises:
            WindowsCallError: 1225 refused, 10022 not bound.
        """
        bound = self._bind_socket(connection)
        operation = Operation()
        await self.finish(bound, operation, bound.connect(operation, address), "ConnectEx")
        bound.finish_connect()

    async def recv(self, connection: socket.socket, size: int) -> bytes:
        """Up to `size` bytes, as soon as there are any; `b""` when the peer has finished sending.

        Raises:
            WindowsCallError: 64 or 10054 after a reset.
        """
        bound = self._bind_socket(connection)
        operation = Operation(size)
        return operation.data(await self.finish(bound, operation, bound.receive(operation), "WSARecv"))

    async def send(self, connection: socket.socket, data: bytes) -> None:
        """Sends all of `data`.

        Raises:
            WindowsCallError: the peer has gone.
        """
        bound = self._bind_socket(connection)
        sent = 0
        while sent < len(data):
            operation = Operation(data=data[sent:])
            sent += await self.finish(bound, operation, bound.send(operation), "WSASend")

    async def sleep(self, seconds: float) -> None:
        """Resumes after `seconds`, never earlier."""
        await suspend(Deadline(time.monotonic() + seconds))

    def bind(self, owner: object, handle: OverlappedHandle) -> OverlappedHandle:
        """Associates `handle` with the port, the first time `owner` is seen: by object, as handle values are reused."""
        known = self._bound.get(owner)
        if known is not None:
            return known
        self.port.associate(handle, _HANDLE_KEY)
        handle.set_notification_modes(NotificationModes.SKIP_COMPLETION_PORT_ON_SUCCESS)
        self._bound[owner] = handle
        return handle

    async def finish(
        self, handle: OverlappedHandle, operation: Operation, outcome: Outcome, call: str
    ) -> int:
        """Waits for a started operation and returns how many bytes moved.

        Raises:
            WindowsCallError: it failed.
        """
        if outcome is Outcome.DONE_NO_PACKET:
            self._ends_in_a_row += 1
            if (
                self._ends_in_a_row >= _ENDS_WITHOUT_A_PAUSE
            ):  # a source that never runs dry lets the others have a turn
                await suspend(NextTurn())
            return operation.transferred
        packet = await packet_of(handle, operation)
        if packet.error:
            raise error_of(packet.error, call, hex(handle.handle), operation.size)
        return packet.bytes

    def _bind_socket(self, plain: socket.socket) -> OverlappedSocket:
        known = self._bound.get(plain)
        if isinstance(known, OverlappedSocket):
            return known
        bound = OverlappedSocket.borrow(plain)
        self.bind(plain, bound)
        return bound

    # --- the loop's parts ---

    def _turn(self) -> None:
        """Resumes what is runnable now; what becomes runnable meanwhile waits for the next turn."""
        for _ in range(len(self._runnable)):
            one, packet = self._runnable.popleft()
            self._ends_in_a_row = 0
            try:
                wanted = one.send(packet)
            except StopIteration:
                self._alive -= 1
            except BaseException:
                self._alive -= 1
                raise
            else:
                self._obey(wanted, one)

    def _obey(self, wanted: object, one: Suspended) -> None:
        if isinstance(wanted, Ended):
            self._suspended[wanted.operation] = (wanted.handle, one)
        elif isinstance(wanted, Deadline):
            self._timers.add(wanted.at, one)
        else:
            self._runnable.append((one, None))

    def _deliver(self, packet: Packet) -> None:
        if packet.operation is not None and packet.operation in self._suspended:
            _, one = self._suspended.pop(packet.operation)
            self._runnable.append((one, packet))

    def _timeout_ms(self) -> int:
        if self._runnable:
            return 0
        due = self._timers.next_due_ms()
        return INFINITE if due is None else due
