"""Errors of Windows calls: OSError with `winerror`, and the call and its arguments beside it."""

from functools import cache
from typing import NoReturn

from toolkit.ffi import windows
from toolkit.ffi.errors import CallError

_PREFIXES = ("ERROR_", "WSAE", "WAIT_")


class WindowsCallError(CallError):
    """A Windows call failed.

    Also an instance of the class Python uses for that error (FileNotFoundError for 2, ...).

    Attributes:
        winerror: the system error code, such as 997, or Winsock's, such as 10054.
        call, arguments: as in CallError.
    """

    winerror: int

    def __str__(self) -> str:
        """`CreateIoCompletionPort(0x40, 0x44, 0x0, 0): ERROR_INVALID_PARAMETER (87)`."""
        arguments = ", ".join(str(argument) for argument in self.arguments)
        return f"{self.call}({arguments}): {describe(self.winerror)}"


@cache
def _names() -> dict[int, str]:
    names = [name for name in windows.compiled.names() if name.startswith(_PREFIXES)]
    return {windows.ffi.integer_const(name): name for name in reversed(names)}


def error_name(code: int) -> str:
    """`ERROR_HANDLE_EOF` for 38; the number itself where cdefs/windows does not name it."""
    return _names().get(code, str(code))


def describe(code: int) -> str:
    """`ERROR_HANDLE_EOF (38)`, or `error 4711` for one without a name here."""
    name = _names().get(code)
    return f"{name} ({code})" if name else f"error {code}"


@cache
def _class_for(code: int) -> type[WindowsCallError]:
    usual = type(OSError(0, "", None, code))
    if usual is OSError:
        return WindowsCallError
    return type(f"Windows{usual.__name__}", (WindowsCallError, usual), {})


def error_of(code: int, call: str, *arguments: object) -> WindowsCallError:
    """The exception for `code`, not raised."""
    error = _class_for(code)(0, describe(code), None, code)
    error.call = call
    error.arguments = arguments
    return error


def fail(call: str, *arguments: object) -> NoReturn:
    """Raises the WindowsCallError for the failure that this thread's last call left behind."""
    raise error_of(windows.lib.GetLastError(), call, *arguments)
