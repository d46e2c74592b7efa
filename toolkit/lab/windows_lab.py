"""The lab that a Windows case's functions are handed.

Cases import nothing of Windows themselves, so that they can be listed and documented everywhere: all they need is here.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import WindowsCallError
from toolkit.lab.checks import DeadlineError
from toolkit.lab.windows_polls import WindowsPolls
from toolkit.lab.windows_waiter import WindowsWaiter
from toolkit.primitives.directory_changes import Change, changes, start_watch
from toolkit.primitives.iocp import CompletionPort, Packet
from toolkit.primitives.job import Job, Process
from toolkit.primitives.named_pipe import NamedPipe, pipe_pair
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import Access, NotificationModes, OverlappedFile, OverlappedHandle
from toolkit.primitives.overlapped_socket import ADDRESS_ROOM, OverlappedSocket
from toolkit.primitives.owned_handle import HandleLike, number_of, pointer_of
from toolkit.primitives.waits import Event, RegisteredWait, WaitableTimer, post_when_signalled

Thing = TypeVar("Thing")
_NOTHING_MS = 150  # how long "nothing comes" is watched: a packet that is queued already comes at once


class WindowsLab(WindowsPolls):
    """Checks, ports, files, pipes, sockets and threads for one variant of one case, in a process of its own.

    Attributes:
        lib: the traced calls and constants themselves, for cases about what our objects make impossible.
        ffi: cffi's, to make what `lib` takes.
    """

    ffi = windows.ffi
    NULL = windows.NULL
    pointer_of = staticmethod(pointer_of)
    number_of = staticmethod(number_of)

    @property
    def lib(self) -> Any:  # noqa: ANN401  cffi's lib has no static type
        """Looked up at each use: the tracer replaces it."""
        return windows.lib

    def end_children(self) -> None:
        """Ends the processes that `child` started."""
        for thing in self._kept:
            if isinstance(thing, subprocess.Popen) and thing.poll() is None:
                thing.kill()
                thing.wait(10)

    # --- things to wait on ---

    def port(self, concurrency: int = 0) -> CompletionPort:
        """A new completion port."""
        port = CompletionPort(concurrency)
        self.keep(port)
        return port

    def file(
        self, content: bytes = b"", access: Access = Access.READ | Access.WRITE, *, overlapped: bool = True
    ) -> OverlappedFile:
        """A file of the case's folder that holds `content`, opened for overlapped calls."""
        path = self.path(content)
        return self.kept(OverlappedFile.open(path, access, overlapped=overlapped))

    def path(self, content: bytes) -> Path:
        """A new file that holds `content`."""
        number = sum(1 for _ in self.tmp_path.iterdir())
        path = self.tmp_path / f"file-{number}"
        path.write_bytes(content)
        return path

    def pipe(self, *, messages: bool = False, buffer_size: int = 65536) -> tuple[NamedPipe, OverlappedFile]:
        """`(server, client)`: both ends of a connected named pipe."""
        server, client = pipe_pair(messages=messages, buffer_size=buffer_size)
        return self.kept(server), self.kept(client)

    def sockets(self) -> tuple[OverlappedSocket, OverlappedSocket]:
        """Two connected TCP sockets on the loopback interface, for overlapped calls."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            ours = socket.create_connection(listener.getsockname(), timeout=5)
            theirs, _ = listener.accept()
        for one in (ours, theirs):
            one.settimeout(None)
        return self.kept(OverlappedSocket(ours)), self.kept(OverlappedSocket(theirs))

    def socket(self, *, bound: bool = False, listening: bool = False) -> OverlappedSocket:
        """A new TCP socket; bound to a free loopback port, listening, if wanted."""
        plain = socket.socket()
        if bound or listening:
            plain.bind(("127.0.0.1", 0))
        if listening:
            plain.listen()
        return self.kept(OverlappedSocket(plain))

    def datagram_socket(self) -> OverlappedSocket:
        """A UDP socket, bound to a free loopback port."""
        plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        plain.bind(("127.0.0.1", 0))
        return self.kept(OverlappedSocket(plain))

    def kept(self, thing: Thing) -> Thing:
        """Keeps `thing` for the length of the case and returns it."""
        self.keep(thing)
        return thing

    def open(self, path: Path | str, *, write: bool = False) -> OverlappedFile:
        """A file, or the client end of a pipe, opened for overlapped calls, to read or also to write."""
        return self.kept(OverlappedFile.open(path, Access.READ | Access.WRITE if write else Access.READ))

    def directory(self) -> OverlappedFile:
        """The case's folder, opened for ReadDirectoryChangesW."""
        return self.kept(OverlappedFile.open_directory(self.tmp_path))

    def named_pipe(self, **options: Any) -> NamedPipe:  # noqa: ANN401  as NamedPipe.create
        """A named pipe without a client."""
        return self.kept(NamedPipe.create(**options))

    def event(self) -> Event:
        """A manual-reset event."""
        return self.kept(Event())

    def timer(self) -> WaitableTimer:
        """A waitable timer that resets itself."""
        return self.kept(WaitableTimer())

    def job(self) -> Job:
        """A job object."""
        return self.kept(Job())

    def post_when_signalled(
        self, handle: HandleLike, port: CompletionPort, key: int, *, once: bool = False
    ) -> RegisteredWait:
        """A wait of the system's thread pool that turns a signalled handle into a packet with `key`."""
        return post_when_signalled(handle, port, key, once=once)

    # --- starting and ending operations ---

    def watch(self, directory: OverlappedFile, operation: Operation) -> None:
        """ReadDirectoryChangesW, started."""
        start_watch(directory, operation)

    def changes(self, data: bytes) -> list[Change] | None:
        """What a packet of ReadDirectoryChangesW tells; None when more happened than its buffer held."""
        return changes(data)

    def operation(self, size: int = 0, *, data: bytes | None = None, offset: int = 0) -> Operation:
        """An OVERLAPPED with `size` bytes to read into, or `data` to write."""
        return Operation(size, data=data, offset=offset)

    def accept(
        self, listener: OverlappedSocket, newcomer: OverlappedSocket, first_bytes: int = 0
    ) -> Operation:
        """AcceptEx, started."""
        operation = Operation(first_bytes + 2 * ADDRESS_ROOM)
        listener.accept(operation, newcomer, first_bytes)
        return operation

    def skip_packets_on_success(self, handle: OverlappedHandle) -> None:
        """SetFileCompletionNotificationModes with FILE_SKIP_COMPLETION_PORT_ON_SUCCESS."""
        handle.set_notification_modes(NotificationModes.SKIP_COMPLETION_PORT_ON_SUCCESS)

    def fill(self, end: OverlappedHandle, data: bytes) -> None:
        """Writes `data` into a pipe's end that no port is bound to, and waits for the write's end."""
        operation = Operation(data=data)
        end.write(operation)
        end.result(operation, 5000)
        operation.arrive()

    def packet(self, port: CompletionPort, within: float = 5.0) -> Packet:
        """The next packet.

        Raises:
            DeadlineError: none came in time.
        """
        packet = port.wait(self.milliseconds(within))
        if packet is None:
            raise DeadlineError("no packet in time")
        return packet

    def packet_if_any(self, port: CompletionPort) -> Packet | None:
        """The next packet; None when none comes for a while."""
        return port.wait(_NOTHING_MS)

    def nothing(self, port: CompletionPort) -> bool:
        """Whether no packet comes for a while."""
        return self.packet_if_any(port) is None

    def started(self, call: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  any call
        """The name of the Outcome that `call` returned, or the winerror it raised."""
        try:
            outcome = call(*arguments)
        except WindowsCallError as error:
            return error.winerror
        return outcome.name if isinstance(outcome, Outcome) else outcome

    def error_of(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> int:  # noqa: ANN401  any call
        """The winerror that `call` raised; 0 when it worked."""
        try:
            call(*arguments, **named)
        except WindowsCallError as error:
            return error.winerror
        return 0

    def last_error(self) -> int:
        """GetLastError of this thread's last call."""
        code: int = windows.lib.GetLastError()
        return code

    # --- threads and processes ---

    def thread(self, function: Callable[..., Any], *arguments: Any) -> WindowsWaiter:  # noqa: ANN401  any call
        """Runs `function` in a new thread."""
        return WindowsWaiter(function, arguments)

    def child(self, code: str) -> "subprocess.Popen[bytes]":
        """A Python process that runs `code`, its standard input a pipe; ended with the case."""
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)  # noqa: S603  this interpreter
        self.keep(process)
        return process

    def process(self, pid: int) -> Process:
        """A handle to a process, which its with block closes."""
        return Process(pid)

    def in_console(self, code: str, argument: str) -> str:
        """What `code` prints, run with `argument` in a process that has a console of its own."""
        no_window: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # only Windows' Python has it
        done = subprocess.run(  # noqa: S603  this interpreter
            [sys.executable, "-c", code, argument],
            creationflags=no_window,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=self.seconds(60),
            check=False,
        )
        text = done.stdout.strip()
        return (
            text if text and not done.returncode else f"exit status {done.returncode}: {done.stderr[-300:]}"
        )

    def until(self, holds: Callable[[], bool], what: str, within: float = 5.0) -> None:
        """Looks again and again until `holds` does.

        Raises:
            DeadlineError: it never did.
        """
        end = time.monotonic() + self.seconds(within)
        while not holds():
            if time.monotonic() > end:
                raise DeadlineError(f"not in time: {what}")
            time.sleep(0.001)
