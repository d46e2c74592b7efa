"""Readiness of sockets on a completion port: polls that the ancillary function driver (AFD) answers with a packet.

Microsoft documents neither the device nor its request. wepoll, libuv and trio rely on both, and the layout is theirs:
https://github.com/piscisaureus/wepoll (src/afd.h), https://github.com/python-trio/trio (_core/_windows_cffi.py).
Documented is SIO_BASE_HANDLE: https://learn.microsoft.com/windows/win32/winsock/winsock-ioctls
"""

import struct
from enum import IntFlag

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import OverlappedHandle
from toolkit.primitives.overlapped_socket import OverlappedSocket
from toolkit.primitives.owned_handle import number_of, pointer_of

_DEVICE = r"\\.\GLOBALROOT\Device\Afd\evkit"  # whatever stands behind Afd\ names nothing
_IOCTL_AFD_POLL = 0x00012024
_FOR_EVER = 2**63 - 1
_POLL = struct.Struct("<qII QIi")
"""AFD_POLL_INFO for one socket: timeout, number of sockets, exclusive; its handle, events, status."""


class AfdEvents(IntFlag):
    """What a poll asks for, and what it reports."""

    RECEIVE = 1
    RECEIVE_EXPEDITED = 2
    SEND = 4
    DISCONNECT = 8
    ABORT = 16
    LOCAL_CLOSE = 32
    ACCEPT = 128
    CONNECT_FAIL = 256


class AfdDevice(OverlappedHandle):
    """The driver, opened for polls, whose packets go to the port that this handle is associated with."""

    __slots__ = ()

    @classmethod
    def open(cls) -> "AfdDevice":
        """CreateFileW of the driver's device.

        Raises:
            WindowsCallError: the system has no such device.
        """
        lib = windows.lib
        pointer = lib.CreateFileW(
            _DEVICE, lib.SYNCHRONIZE, lib.FILE_SHARE_READ | lib.FILE_SHARE_WRITE, windows.NULL, lib.OPEN_EXISTING,
            lib.FILE_FLAG_OVERLAPPED, windows.NULL,
        )  # fmt: skip
        if number_of(pointer) == -1:
            fail("CreateFileW", repr(_DEVICE), "SYNCHRONIZE")
        return cls(pointer)

    def poll(self, operation: Operation, sock: OverlappedSocket, events: AfdEvents) -> Outcome:
        """Asks for one packet when `sock` is ready for one of `events`; `reported` says which.

        The operation needs a buffer of `POLL_SIZE`, into which the request is written and the answer over it.

        Raises:
            WindowsCallError: it failed at once, and no packet will come.
            RuntimeError: the operation is in flight already.
            ValueError: this or the socket is closed, or the buffer is too small.
        """
        if operation.size < POLL_SIZE:
            raise ValueError(f"a buffer of {operation.size} bytes: a poll needs {POLL_SIZE}")
        number, base = self.handle, base_handle(sock)
        operation.depart()
        windows.ffi.buffer(operation.buffer, POLL_SIZE)[:] = _POLL.pack(_FOR_EVER, 1, 0, base, events, 0)
        done = windows.lib.DeviceIoControl(
            pointer_of(number), _IOCTL_AFD_POLL, operation.buffer, POLL_SIZE, operation.buffer, POLL_SIZE,
            windows.NULL, operation.overlapped,
        )  # fmt: skip
        return operation.settle(done, self._skips_packets, "DeviceIoControl", number, "IOCTL_AFD_POLL")


POLL_SIZE = _POLL.size


def reported(operation: Operation) -> AfdEvents:
    """The events that a poll which has ended reports; none after a cancel."""
    _, count, _, _, events, _ = _POLL.unpack(operation.data(POLL_SIZE))
    return AfdEvents(events if count and not operation.status else 0)


def base_handle(sock: OverlappedSocket) -> int:
    """The handle beneath what layered service providers put around a socket: the one that AFD knows (SIO_BASE_HANDLE).

    Raises:
        WindowsCallError: the call failed.
        ValueError: closed.
    """
    base, returned = windows.ffi.new("SOCKET *"), windows.ffi.new("DWORD *")
    if windows.lib.WSAIoctl(
        sock.handle, windows.lib.SIO_BASE_HANDLE, windows.NULL, 0, base, windows.ffi.sizeof("SOCKET"), returned,
        windows.NULL, windows.NULL,
    ):  # fmt: skip
        fail("WSAIoctl", hex(sock.handle), "SIO_BASE_HANDLE")
    return int(base[0])
