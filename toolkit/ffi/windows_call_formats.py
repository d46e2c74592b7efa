"""How each Windows call reads in a trace: `ReadFile(0x40, 4096, {offset=0}) = FALSE ERROR_IO_PENDING (997)`."""

from collections.abc import Callable
from typing import Any

from toolkit.ffi.windows import NULL, compiled, ffi
from toolkit.ffi.windows_errors import describe

Described = list[tuple[str, str, int | str]]
Format = Callable[[tuple[Any, ...], Any], Described]
Shown = Callable[[Any], str]
_AFD_POLL = ffi.integer_const("IOCTL_AFD_POLL")


def address(pointer: Any) -> str:  # noqa: ANN401  cffi data has no static type
    """`0x40`, or NULL; of a pointer, or of a number that stands for one."""
    number = int(ffi.cast("uintptr_t", pointer))
    return hex(number) if number else "NULL"


def handle(value: Any) -> str:  # noqa: ANN401  cffi data has no static type
    """A handle in hexadecimal, as debuggers write them; -1 by its name."""
    number = int(ffi.cast("intptr_t", value))
    return "INVALID_HANDLE_VALUE" if number == -1 else "NULL" if number == 0 else hex(number)


def overlapped(pointer: Any) -> str:  # noqa: ANN401  cffi data has no static type
    """`{offset=4096}`, with the event where there is one."""
    if pointer == NULL:
        return "NULL"
    event = "" if pointer.hEvent == NULL else f", hEvent={address(pointer.hEvent)}"
    return f"{{offset={pointer.Offset + (pointer.OffsetHigh << 32)}{event}}}"


def text(pointer: Any) -> str:  # noqa: ANN401  cffi data has no static type
    """A wide string, quoted."""
    return (
        "NULL"
        if pointer == NULL
        else '"' + (pointer if isinstance(pointer, str) else ffi.string(pointer)) + '"'
    )


def milliseconds(value: int) -> str:
    """A timeout: INFINITE by its name."""
    return "INFINITE" if value == 0xFFFFFFFF else str(value)


def plain(value: Any) -> str:  # noqa: ANN401  any argument
    """A number."""
    return str(value)


def word(value: int) -> str:
    """A 64-bit word."""
    return hex(value)


def _with_error(shown: str) -> str:
    return f"{shown} {describe(compiled.GetLastError())}"


def _boolean(result: int) -> str:
    return "TRUE" if result else _with_error("FALSE")


def _made_handle(result: Any) -> str:  # noqa: ANN401  cffi data has no static type
    shown = handle(result)
    return _with_error(shown) if shown in {"NULL", "INVALID_HANDLE_VALUE"} else shown


def _winsock(result: int) -> str:
    return "0" if result == 0 else _with_error("SOCKET_ERROR")


def call(name: str, result: Callable[[Any], str], *shown: Shown | None) -> Format:
    """A format that shows the arguments with `shown`, leaving out those given as None."""

    def described(arguments: tuple[Any, ...], value: Any) -> Described:  # noqa: ANN401  cffi data
        parts = [show(argument) for show, argument in zip(shown, arguments, strict=True) if show is not None]
        return [(name, ", ".join(parts), result(value))]

    return described


def _packet(arguments: tuple[Any, ...], result: int) -> Described:
    port, count, key, pointer, ms = arguments
    got = f"{{bytes={count[0]}, key={key[0]:#x}, overlapped={address(pointer[0])}}}"
    untouched = not result and pointer[0] == NULL
    return [
        (
            "GetQueuedCompletionStatus",
            f"{handle(port)}, {'{overlapped=NULL}' if untouched else got}, {milliseconds(ms)}",
            _boolean(result),
        )
    ]


def _packets(arguments: tuple[Any, ...], result: int) -> Described:
    port, entries, size, removed, ms, alertable = arguments
    taken = [entries[i] for i in range(removed[0])] if result else []  # the count means nothing after FALSE
    shown = ", ".join(
        f"{{bytes={e.dwNumberOfBytesTransferred}, key={e.lpCompletionKey:#x}, overlapped={address(e.lpOverlapped)}}}"
        for e in taken
    )
    rest = f"{size}, {milliseconds(ms)}, {'TRUE' if alertable else 'FALSE'}"
    return [("GetQueuedCompletionStatusEx", f"{handle(port)}, [{shown}], {rest}", _boolean(result))]


def _device_control(arguments: tuple[Any, ...], result: int) -> Described:
    device, code, question, size, _, room, _, pointer = arguments
    if code == _AFD_POLL:
        asked = question.Handles[0]
        name = "IOCTL_AFD_POLL"
        shown = f"{{handle={handle(asked.Handle)}, events={asked.Events:#x}, exclusive={question.Exclusive}}}"
    else:
        name, shown = word(code), str(size)
    rest = f"{name}, {shown}, {room}, {overlapped(pointer)}"
    return [("DeviceIoControl", f"{handle(device)}, {rest}", _boolean(result))]


def _buffers(pointer: Any) -> str:  # noqa: ANN401  cffi data has no static type
    return f"{{len={pointer[0].len}}}"


FORMATS: dict[str, Format] = {
    "CreateIoCompletionPort": call("CreateIoCompletionPort", _made_handle, handle, handle, word, plain),
    "GetQueuedCompletionStatus": _packet,
    "GetQueuedCompletionStatusEx": _packets,
    "PostQueuedCompletionStatus": call("PostQueuedCompletionStatus", _boolean, handle, plain, word, address),
    "SetFileCompletionNotificationModes": call("SetFileCompletionNotificationModes", _boolean, handle, plain),
    "GetOverlappedResult": call("GetOverlappedResult", _boolean, handle, overlapped, None, plain),
    "GetOverlappedResultEx": call(
        "GetOverlappedResultEx", _boolean, handle, overlapped, None, milliseconds, plain
    ),
    "CancelIo": call("CancelIo", _boolean, handle),
    "CancelIoEx": call("CancelIoEx", _boolean, handle, overlapped),
    "CloseHandle": call("CloseHandle", _boolean, handle),
    "DuplicateHandle": call("DuplicateHandle", _boolean, None, handle, None, None, None, plain, plain),
    "CreateFileW": call("CreateFileW", _made_handle, text, word, word, None, plain, word, None),
    "ReadFile": call("ReadFile", _boolean, handle, None, plain, None, overlapped),
    "WriteFile": call("WriteFile", _boolean, handle, None, plain, None, overlapped),
    "DeviceIoControl": _device_control,
    "ReadDirectoryChangesW": call(
        "ReadDirectoryChangesW", _boolean, handle, None, plain, plain, word, None, overlapped, None
    ),
    "CreateNamedPipeW": call(
        "CreateNamedPipeW", _made_handle, text, word, word, plain, plain, plain, plain, None
    ),
    "ConnectNamedPipe": call("ConnectNamedPipe", _boolean, handle, overlapped),
    "DisconnectNamedPipe": call("DisconnectNamedPipe", _boolean, handle),
    "WSARecv": call("WSARecv", _winsock, word, _buffers, plain, None, None, overlapped, None),
    "WSASend": call("WSASend", _winsock, word, _buffers, plain, None, None, overlapped, None),
    "WSARecvFrom": call(
        "WSARecvFrom", _winsock, word, _buffers, plain, None, None, None, None, overlapped, None
    ),
    "WSAIoctl": call("WSAIoctl", _winsock, word, word, None, plain, None, plain, None, overlapped, None),
    "WSAGetOverlappedResult": call("WSAGetOverlappedResult", _boolean, word, overlapped, None, plain, None),
    "setsockopt": call("setsockopt", _winsock, word, word, word, None, plain),
    "CreateEventW": call("CreateEventW", _made_handle, None, plain, plain, None),
    "SetEvent": call("SetEvent", _boolean, handle),
    "ResetEvent": call("ResetEvent", _boolean, handle),
    "WaitForSingleObject": call(
        "WaitForSingleObject", lambda r: "WAIT_OBJECT_0" if r == 0 else describe(r), handle, milliseconds
    ),
    "CreateWaitableTimerW": call("CreateWaitableTimerW", _made_handle, None, plain, None),
    "SetWaitableTimer": call(
        "SetWaitableTimer", _boolean, handle, lambda due: str(due.QuadPart), plain, None, None, plain
    ),
    "CancelWaitableTimer": call("CancelWaitableTimer", _boolean, handle),
    "RegisterWaitForSingleObject": call(
        "RegisterWaitForSingleObject", _boolean, None, handle, None, None, milliseconds, plain
    ),
    "UnregisterWaitEx": call("UnregisterWaitEx", _boolean, handle, handle),
    "QueueUserAPC": call("QueueUserAPC", lambda r: str(r) if r else _with_error("0"), None, handle, word),
    "CreateJobObjectW": call("CreateJobObjectW", _made_handle, None, None),
    "SetInformationJobObject": call("SetInformationJobObject", _boolean, handle, plain, None, plain),
    "AssignProcessToJobObject": call("AssignProcessToJobObject", _boolean, handle, handle),
    "TerminateJobObject": call("TerminateJobObject", _boolean, handle, plain),
    "OpenProcess": call("OpenProcess", _made_handle, word, plain, plain),
    "SetConsoleCtrlHandler": call("SetConsoleCtrlHandler", _boolean, None, plain),
    "GenerateConsoleCtrlEvent": call("GenerateConsoleCtrlEvent", _boolean, plain, plain),
}
