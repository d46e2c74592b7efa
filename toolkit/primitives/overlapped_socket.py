"""Sockets for overlapped calls: Winsock 2 and the extension functions AcceptEx, ConnectEx and DisconnectEx.

Python's sockets on Windows are made with WSA_FLAG_OVERLAPPED, so they can be used as they are.
https://learn.microsoft.com/windows/win32/api/mswsock/nf-mswsock-acceptex
"""

import socket
import struct
from typing import Any
from uuid import UUID

from toolkit.ffi import tracing, windows
from toolkit.ffi.windows_errors import describe, fail
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import OverlappedHandle

# mswsock.h: WSAID_ACCEPTEX, WSAID_CONNECTEX, WSAID_DISCONNECTEX
_ACCEPTEX = ("LPFN_ACCEPTEX", UUID("b5367df1-cbac-11cf-95ca-00805f48a192"))
_CONNECTEX = ("LPFN_CONNECTEX", UUID("25a207b9-ddf3-4660-8ee9-76e58c74063e"))
_DISCONNECTEX = ("LPFN_DISCONNECTEX", UUID("7fda2e11-8630-436f-a031-f536a6eec157"))

ADDRESS_ROOM = 28 + 16
"""Bytes AcceptEx wants for each of the two addresses: sockaddr_in6, and 16 more."""

_SOCKADDR_IN = struct.Struct("<H2s4s8x")
_SOCKADDR_IN6 = struct.Struct("<H2sI16sI")


class OverlappedSocket(OverlappedHandle):
    """A socket for overlapped calls. Owns the Python socket it is made from, unless it was borrowed."""

    __slots__ = ("_extensions", "_family", "_socket")

    def __init__(self, plain: socket.socket) -> None:
        """Takes ownership of `plain`."""
        super().__init__(windows.ffi.cast("HANDLE", plain.fileno()))
        self._family = plain.family
        self._socket: socket.socket | None = plain
        self._extensions: dict[str, Any] = {}

    @classmethod
    def borrow(cls, plain: socket.socket) -> "OverlappedSocket":
        """The same calls on a socket that stays `plain`'s to close, and is not kept alive by this object."""
        borrowed = cls(plain)
        borrowed._socket = None
        return borrowed

    @property
    def plain(self) -> socket.socket:
        """The Python socket.

        Raises:
            ValueError: it was only borrowed.
        """
        if self._socket is None:
            raise ValueError("this OverlappedSocket only borrows its socket")
        return self._socket

    def close(self) -> None:
        """closesocket, of a socket that is owned; again is harmless."""
        self._number = 0
        if self._socket is not None:
            self._socket.close()

    def __del__(self) -> None:
        self._number = 0  # the Python socket closes itself

    def receive(self, operation: Operation) -> Outcome:
        """WSARecv. 0 bytes at the end mean that the peer will send no more, unless the buffer's size is 0.

        Raises:
            WindowsCallError: it failed at once, and no packet will come: 10054 after a reset, 10057 unconnected.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        number = self.handle
        vector, flags = _vector(operation), windows.ffi.new("DWORD *")
        operation.depart()
        result = windows.lib.WSARecv(
            number, vector, 1, windows.NULL, flags, operation.overlapped, windows.NULL
        )
        return operation.settle(result == 0, self._skips_packets, "WSARecv", number, operation.size)

    def send(self, operation: Operation) -> Outcome:
        """WSASend of the operation's data.

        Raises:
            WindowsCallError: it failed at once, and no packet will come: 10054, 10053, 10057.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        number = self.handle
        vector = _vector(operation)
        operation.depart()
        result = windows.lib.WSASend(number, vector, 1, windows.NULL, 0, operation.overlapped, windows.NULL)
        return operation.settle(result == 0, self._skips_packets, "WSASend", number, operation.size)

    def accept(self, operation: Operation, newcomer: "OverlappedSocket", first_bytes: int = 0) -> Outcome:
        """AcceptEx into `newcomer`, a fresh socket. With `first_bytes` it ends only when the client has sent something.

        Afterwards `newcomer.finish_accept(self)` makes it a whole socket. The operation needs a buffer of
        `first_bytes + 2 * ADDRESS_ROOM`.

        Raises:
            WindowsCallError: it failed at once, and no packet will come.
            RuntimeError: the operation is in flight already.
            ValueError: closed, or the buffer is too small.
        """
        if operation.size < first_bytes + 2 * ADDRESS_ROOM:
            raise ValueError(
                f"a buffer of {operation.size} bytes: AcceptEx needs {first_bytes + 2 * ADDRESS_ROOM}"
            )
        function = self._extension(*_ACCEPTEX)
        listener, fresh = self.handle, newcomer.handle
        received = windows.ffi.new("DWORD *")
        operation.depart()
        done = function(
            listener,
            fresh,
            operation.buffer,
            first_bytes,
            ADDRESS_ROOM,
            ADDRESS_ROOM,
            received,
            operation.overlapped,
        )
        _trace("AcceptEx", f"{listener:#x}, {fresh:#x}, {first_bytes}", done)
        return operation.settle(done, self._skips_packets, "AcceptEx", listener, hex(fresh), first_bytes)

    def finish_accept(self, listener: "OverlappedSocket") -> None:
        """SO_UPDATE_ACCEPT_CONTEXT: without it getpeername and shutdown of an accepted socket fail with 10057.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        value = windows.ffi.new("SOCKET *", listener.handle)
        self._set_option(windows.lib.SO_UPDATE_ACCEPT_CONTEXT, value, windows.ffi.sizeof("SOCKET"))

    def connect(self, operation: Operation, address: tuple[str, int]) -> Outcome:
        """ConnectEx to a numeric address; the socket must be bound. Then `finish_connect`.

        Raises:
            WindowsCallError: 10022 when it is not bound, and no packet will come.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        function = self._extension(*_CONNECTEX)
        packed = windows.ffi.from_buffer(_sockaddr(self._family, address))
        number = self.handle
        operation.depart()
        done = function(
            number, windows.ffi.cast("struct sockaddr *", packed), len(packed), windows.NULL, 0, windows.NULL,
            operation.overlapped,
        )  # fmt: skip
        _trace("ConnectEx", f"{number:#x}, {address[0]}:{address[1]}", done)
        return operation.settle(done, self._skips_packets, "ConnectEx", number, *address)

    def finish_connect(self) -> None:
        """SO_UPDATE_CONNECT_CONTEXT: makes a socket connected by ConnectEx a whole one.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        self._set_option(windows.lib.SO_UPDATE_CONNECT_CONTEXT, windows.NULL, 0)

    def disconnect(self, operation: Operation, *, reuse: bool = False) -> Outcome:
        """DisconnectEx; with `reuse` the socket may serve a later AcceptEx or ConnectEx.

        Raises:
            WindowsCallError: it failed at once, and no packet will come.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        function = self._extension(*_DISCONNECTEX)
        number = self.handle
        operation.depart()
        done = function(number, operation.overlapped, windows.lib.TF_REUSE_SOCKET if reuse else 0, 0)
        _trace("DisconnectEx", f"{number:#x}, {'TF_REUSE_SOCKET' if reuse else 0}", done)
        return operation.settle(done, self._skips_packets, "DisconnectEx", number)

    def load_extensions(self) -> None:
        """Looks all three extension functions up now.

        Raises:
            WindowsCallError: the provider lacks one.
        """
        for kind, guid in (_ACCEPTEX, _CONNECTEX, _DISCONNECTEX):
            self._extension(kind, guid)

    def _set_option(self, name: int, value: Any, size: int) -> None:  # noqa: ANN401  cffi data
        chars = windows.NULL if value == windows.NULL else windows.ffi.cast("char *", value)
        if windows.lib.setsockopt(self.handle, windows.lib.SOL_SOCKET, name, chars, size):
            fail("setsockopt", hex(self.handle), "SOL_SOCKET", hex(name))

    def _extension(self, kind: str, guid: UUID) -> Any:  # noqa: ANN401  a C function
        """A function of the socket's provider, by WSAIoctl(SIO_GET_EXTENSION_FUNCTION_POINTER)."""
        known = self._extensions.get(kind)
        if known is not None:
            return known
        identifier = windows.ffi.new("char[16]", guid.bytes_le)
        pointer = windows.ffi.new(f"{kind} *")
        returned = windows.ffi.new("DWORD *")
        if windows.lib.WSAIoctl(
            self.handle, windows.lib.SIO_GET_EXTENSION_FUNCTION_POINTER, identifier, 16, pointer,
            windows.ffi.sizeof(kind), returned, windows.NULL, windows.NULL,
        ):  # fmt: skip
            fail("WSAIoctl", hex(self.handle), "SIO_GET_EXTENSION_FUNCTION_POINTER", guid)
        self._extensions[kind] = pointer[0]
        return pointer[0]


def _vector(operation: Operation) -> Any:  # noqa: ANN401  cffi data has no static type
    """A WSABUF for the operation's buffer. Only read during the call, so it may go afterwards."""
    vector = windows.ffi.new("WSABUF *")
    vector.len = operation.size
    vector.buf = windows.ffi.cast("char *", operation.buffer)
    return vector


def _sockaddr(family: int, address: tuple[str, int]) -> bytes:
    host, port = address
    packed_host, packed_port = socket.inet_pton(family, host), port.to_bytes(2, "big")
    if family == socket.AF_INET6:
        return _SOCKADDR_IN6.pack(family, packed_port, 0, packed_host, 0)
    return _SOCKADDR_IN.pack(family, packed_port, packed_host)


def _trace(call: str, arguments: str, done: int) -> None:
    if tracing.is_on():  # called by pointer, so the tracer does not see it by itself
        tracing.emit(call, arguments, "TRUE" if done else f"FALSE {describe(windows.lib.GetLastError())}")
