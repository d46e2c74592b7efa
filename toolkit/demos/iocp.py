"""The story of a completion port: what can be waited for, and how every end arrives in one queue."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from toolkit.demos.step import Chapter, Step, tell
from toolkit.ffi.windows_errors import WindowsCallError, describe
from toolkit.primitives.directory_changes import changes, start_watch
from toolkit.primitives.iocp import CompletionPort, Packet
from toolkit.primitives.job import Job, JobMessage, Process
from toolkit.primitives.named_pipe import pipe_pair
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import NotificationModes, OverlappedFile
from toolkit.primitives.overlapped_socket import ADDRESS_ROOM, OverlappedSocket
from toolkit.primitives.waits import WaitableTimer, post_when_signalled

_SIZE = 4552
_BLOCK = 4096
_WITHIN_MS = 5000


class _Story:
    """What the chapters share: the port, a folder, and what is to be closed at the end."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._folder = folder
        self._port: CompletionPort | None = None
        self._file: OverlappedFile | None = None

    def chapters(self) -> list[Chapter]:
        return [
            ("A port is made: a queue in the kernel, bound to nothing yet", self.create),
            ("Anybody may post three words to it; epoll needs an eventfd for that", self.post),
            ("An empty queue: FALSE without an OVERLAPPED is a wait that failed", self.empty),
            ("A file is bound to the port, once and for ever", self.bind),
            ("A read is started; its end arrives as a packet, from the offset the caller gave", self.read),
            ("At the end of the file the operation fails: FALSE with an OVERLAPPED is a packet", self.end_of_file),
            ("A pipe with data: the call succeeds at once, and the packet comes all the same", self.twice),
            ("With the skip flag a success at once is the only news", self.skip),
            ("A cancelled read still owns its buffer until its packet is taken", self.cancel),
            ("A socket is accepted by AcceptEx; the packet comes with the client", self.accept),
            ("A directory tells what changed in it", self.directory),
            ("A timer knows no ports: the system's thread pool waits for it, and posts", self.timer),
            ("A job reports its processes", self.job),
        ]  # fmt: skip

    @property
    def port(self) -> CompletionPort:
        assert self._port is not None
        return self._port

    def taken(self) -> Packet:
        """The next packet, which this story knows to be on its way."""
        packet = self.port.wait(_WITHIN_MS)
        if packet is None:
            raise TimeoutError(f"no packet within {_WITHIN_MS} ms")
        return packet

    def create(self) -> str:
        self._port = self._stack.enter_context(CompletionPort())
        return f"the handle {self.port.handle:#x} is all there is to it"

    def post(self) -> str:
        self.port.post(3, 0xC0FFEE, 0x1234)
        packet = self.taken()
        return (
            f"bytes {packet.bytes}, key {packet.key:#x}, overlapped {packet.overlapped:#x}: yours to agree on"
        )

    def empty(self) -> str:
        packet = self.port.wait(10)
        return f"the wait gave {packet}: nothing ended, nothing was taken"

    def bind(self) -> str:
        path = self._folder / "story.bin"
        path.write_bytes(b"x" * _SIZE)
        self._file = self._stack.enter_context(OverlappedFile.open(path))
        self.port.associate(self._file, 1)
        try:
            self.port.associate(self._file, 2)
        except WindowsCallError as error:
            return f"a second time is refused: {describe(error.winerror)}"
        return "a second time was accepted, which is not documented"

    def read(self) -> str:
        assert self._file is not None
        operation = Operation(_BLOCK)
        self._file.read(operation)
        first = self.taken()
        operation.offset = _BLOCK
        self._file.read(operation)
        second = self.taken()
        return f"{first.bytes} bytes from 0, {second.bytes} bytes from {_BLOCK}: only the caller moves the offset"

    def end_of_file(self) -> str:
        assert self._file is not None
        try:
            self._file.read(Operation(_BLOCK, offset=_SIZE))
        except WindowsCallError as error:
            return f"this time ReadFile said so itself, {describe(error.winerror)}, and no packet comes"
        return f"this time by a packet with {describe(self.taken().error)}, not by 0 bytes"

    def twice(self) -> str:
        reader = self._pipe_with(b"once")
        operation = Operation(16)
        outcome = reader.read(operation)
        packet = self.taken()
        return f"{outcome.name}, and a packet of {packet.bytes} bytes: handling both handles it twice"

    def skip(self) -> str:
        reader = self._pipe_with(b"once")
        reader.set_notification_modes(NotificationModes.SKIP_COMPLETION_PORT_ON_SUCCESS)
        operation = Operation(16)
        outcome = reader.read(operation)
        return f"{outcome.name}: {operation.data()!r} is there, and the queue holds {self.port.wait(10)}"

    def cancel(self) -> str:
        reader = self._pipe_with(b"")
        operation = Operation(16)
        reader.read(operation)
        reader.cancel(operation)
        packet = self.taken()
        return f"its packet: {describe(packet.error)}; only now may the buffer go"

    def accept(self) -> str:
        with socket.create_server(("127.0.0.1", 0)) as plain, socket.socket() as newcomer:
            listener, fresh = OverlappedSocket.borrow(plain), OverlappedSocket.borrow(newcomer)
            self.port.associate(listener, 4)
            listener.accept(Operation(2 * ADDRESS_ROOM), fresh)
            with socket.create_connection(plain.getsockname()) as client:
                packet = self.taken()
                fresh.finish_accept(listener)
                same = newcomer.getpeername() == client.getsockname()
            return f"key {packet.key}; after SO_UPDATE_ACCEPT_CONTEXT the socket knows its peer: {same}"

    def directory(self) -> str:
        directory = self._stack.enter_context(OverlappedFile.open_directory(self._folder))
        self.port.associate(directory, 5)
        operation = Operation(1024)
        start_watch(directory, operation)
        (self._folder / "new.txt").touch()
        found = changes(operation.data(self.taken().bytes)) or []
        return ", ".join(f"{change.action.name.lower()} {change.name}" for change in found)

    def timer(self) -> str:
        with WaitableTimer() as timer, post_when_signalled(timer, self.port, 6, once=True):
            timer.set(0.02)
            packet = self.taken()
        return f"the packet with key {packet.key} came from a thread of the pool"

    def job(self) -> str:
        job = self._stack.enter_context(Job())
        job.report_to(self.port, 7)
        command = [sys.executable, "-c", "input()"]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as child:  # noqa: S603  this interpreter
            with Process(child.pid) as process:
                job.assign(process)
            child.communicate(os.linesep.encode(), timeout=_WITHIN_MS / 1000)
        messages = [JobMessage(self.taken().bytes).name for _ in range(3)]
        return ", ".join(messages)

    def _pipe_with(self, data: bytes) -> OverlappedFile:
        """The reading end of a pipe with `data` in it, bound to the port."""
        server, client = pipe_pair()
        self._stack.enter_context(server)
        self._stack.enter_context(client)
        self.port.associate(client, 3)
        if data:
            operation = Operation(data=data)
            server.write(operation)
            operation.arrive()  # the server's end is bound to no port
        return client


def story() -> Iterator[Step]:
    """The steps, as they happen.

    Raises:
        OSError: a call failed that should not; TimeoutError: a packet did not come.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="evkit-") as folder, contextlib.ExitStack() as stack:
        yield from tell(_Story(Path(folder), stack).chapters())
