"""Named pipes: the server's end, and pairs of both ends.

https://learn.microsoft.com/windows/win32/ipc/named-pipe-operations
"""

import os
from itertools import count

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import error_of, fail
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import Access, OverlappedFile, OverlappedHandle
from toolkit.primitives.owned_handle import number_of, pointer_of

_numbers = count(1)


def unused_name(stem: str = "evkit") -> str:
    """A pipe name nobody uses: the process and a running number are part of it."""
    return rf"\\.\pipe\{stem}-{os.getpid()}-{next(_numbers)}"


class NamedPipe(OverlappedHandle):
    """The server's end of a named pipe: duplex, overlapped."""

    __slots__ = ("name",)

    @classmethod
    def create(
        cls,
        name: str | None = None,
        *,
        messages: bool = False,
        buffer_size: int = 65536,
        instances: int = windows.ffi.integer_const("PIPE_UNLIMITED_INSTANCES"),
    ) -> "NamedPipe":
        """CreateNamedPipeW.

        Args:
            messages: keeps the boundaries of writes: a read into too short a buffer ends with 234, the rest follows.

        Raises:
            WindowsCallError: 231 when `instances` exist already, 123 for a name that is no pipe's.
        """
        name = name or unused_name()
        lib = windows.lib
        mode = lib.PIPE_ACCESS_DUPLEX | lib.FILE_FLAG_OVERLAPPED
        kind = lib.PIPE_TYPE_MESSAGE | lib.PIPE_READMODE_MESSAGE if messages else lib.PIPE_TYPE_BYTE
        pointer = lib.CreateNamedPipeW(name, mode, kind, instances, buffer_size, buffer_size, 0, windows.NULL)
        if number_of(pointer) == -1:
            fail("CreateNamedPipeW", repr(name), hex(mode), hex(kind), instances, buffer_size)
        pipe = cls(pointer)
        pipe.name = name
        return pipe

    name: str

    def connect(self, operation: Operation) -> Outcome:
        """ConnectNamedPipe: waits for a client.

        A client that was faster makes the call fail with 535, which is a success without a packet: DONE_NO_PACKET.

        Raises:
            WindowsCallError: 232 when a client came and is gone already (disconnect first); no packet will come.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        pipe = pointer_of(self.handle)
        operation.depart()
        if windows.lib.ConnectNamedPipe(pipe, operation.overlapped):
            return operation.settle(True, self._skips_packets, "ConnectNamedPipe", self.handle)
        code = windows.lib.GetLastError()
        if code == windows.lib.ERROR_IO_PENDING:
            return Outcome.PENDING
        operation.arrive()
        if code == windows.lib.ERROR_PIPE_CONNECTED:
            return Outcome.DONE_NO_PACKET
        raise error_of(code, "ConnectNamedPipe", hex(self.handle))

    def disconnect(self) -> None:
        """DisconnectNamedPipe: forgets the client, so that another may come.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        if not windows.lib.DisconnectNamedPipe(pointer_of(self.handle)):
            fail("DisconnectNamedPipe", hex(self.handle))


def pipe_pair(*, messages: bool = False, buffer_size: int = 65536) -> tuple[NamedPipe, OverlappedFile]:
    """Both ends of a connected pipe, each for overlapped calls: `(server, client)`.

    Raises:
        WindowsCallError: a call failed.
    """
    server = NamedPipe.create(messages=messages, buffer_size=buffer_size, instances=1)
    client = OverlappedFile.open(server.name, Access.READ | Access.WRITE)
    if messages:
        mode = windows.ffi.new("DWORD *", windows.lib.PIPE_READMODE_MESSAGE)
        if not windows.lib.SetNamedPipeHandleState(pointer_of(client), mode, windows.NULL, windows.NULL):
            fail("SetNamedPipeHandleState", hex(client.handle), "PIPE_READMODE_MESSAGE")
    server.connect(Operation())  # the client is there: no packet, nothing to wait for
    return server, client
