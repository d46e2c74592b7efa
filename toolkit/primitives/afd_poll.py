"""Readiness of sockets on a completion port: polls that the ancillary function driver (AFD) answers with a packet.

Microsoft documents neither the device nor its request. wepoll, libuv and trio rely on both, and the layout is theirs:
https://github.com/piscisaureus/wepoll (src/afd.h), https://github.com/python-trio/trio (_core/_windows_cffi.py).
Documented is SIO_BASE_HANDLE: https://learn.microsoft.com/windows/win32/winsock/winsock-ioctls
"""

from enum import IntFlag
from typing import Any

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import OverlappedHandle
from toolkit.primitives.overlapped_socket import OverlappedSocket
from toolkit.primitives.owned_handle import number_of, pointer_of

_DEVICE = r"\\.\GLOBALROOT\Device\Afd\evkit"  # whatever stands behind Afd\ names nothing
_FOR_EVER = 2**63 - 1
_UNITS_PER_MS = 10_000  # of 100 ns; below 0 they count from now
_constant = windows.ffi.integer_const
_INFO = windows.ffi.typeof("AFD_POLL_INFO *")
POLL_SIZE: int = windows.ffi.sizeof("AFD_POLL_INFO")


class AfdEvents(IntFlag):
    """What a poll asks for, and what it reports."""

    RECEIVE = _constant("AFD_POLL_RECEIVE")
    RECEIVE_EXPEDITED = _constant("AFD_POLL_RECEIVE_EXPEDITED")
    SEND = _constant("AFD_POLL_SEND")
    DISCONNECT = _constant("AFD_POLL_DISCONNECT")
    ABORT = _constant("AFD_POLL_ABORT")
    LOCAL_CLOSE = _constant("AFD_POLL_LOCAL_CLOSE")
    CONNECT = _constant("AFD_POLL_CONNECT")
    ACCEPT = _constant("AFD_POLL_ACCEPT")
    CONNECT_FAIL = _constant("AFD_POLL_CONNECT_FAIL")


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

    def poll(
        self, operation: Operation, sock: OverlappedSocket, events: AfdEvents, timeout_ms: int | None = None
    ) -> Outcome:
        """Asks for one packet when `sock` is ready for one of `events`; `reported` says which.

        One poll a socket at a time: of two it is not said which one ends, nor with what.

        Args:
            operation: with a buffer of `POLL_SIZE`, for the answer.
            timeout_ms: when the packet comes although nothing is ready, and reports nothing; None waits for ever.

        Raises:
            WindowsCallError: it failed at once, and no packet will come.
            RuntimeError: the operation is in flight already.
            ValueError: this or the socket is closed, or the buffer is too small.
        """
        if operation.size < POLL_SIZE:
            raise ValueError(f"a buffer of {operation.size} bytes: a poll needs {POLL_SIZE}")
        number, question = (
            self.handle,
            windows.ffi.new(_INFO),
        )  # only read during the call, so it may go afterwards
        question.Timeout.QuadPart = _FOR_EVER if timeout_ms is None else -timeout_ms * _UNITS_PER_MS
        question.NumberOfHandles = 1
        question.Handles[0].Handle = pointer_of(base_handle(sock))
        question.Handles[0].Events = int(events)
        operation.depart()
        _answer(operation).NumberOfHandles = 0
        done = windows.lib.DeviceIoControl(
            pointer_of(number), windows.lib.IOCTL_AFD_POLL, question, POLL_SIZE, operation.buffer, POLL_SIZE,
            windows.NULL, operation.overlapped,
        )  # fmt: skip
        return operation.settle(done, self._skips_packets, "DeviceIoControl", number, "IOCTL_AFD_POLL")


def reported(operation: Operation) -> AfdEvents:
    """The events that a poll which has ended reports; none after a cancel, or when its time passed."""
    answer = _answer(operation)
    return AfdEvents(answer.Handles[0].Events if answer.NumberOfHandles and not operation.status else 0)


def _answer(operation: Operation) -> Any:  # noqa: ANN401  cffi data has no static type
    return windows.ffi.cast(_INFO, operation.buffer)


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
