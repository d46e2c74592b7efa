"""How a lab makes calls: through the bindings where there are some, else the standard library's, described."""

import os
from collections.abc import Callable
from typing import TypeVar

from toolkit.ffi import linux, tracing
from toolkit.ffi.errors import fail

Result = TypeVar("Result")


def described(
    call: str, arguments: str, function: Callable[[], Result], show: Callable[[Result], str] = str
) -> Result:
    """Makes a standard-library call and describes it in the trace, failure included."""
    try:
        result = function()
    except OSError as error:
        tracing.emit(call, arguments, -(error.errno or 0))
        raise
    tracing.emit(call, arguments, show(result))
    return result


def zero(_: object) -> str:
    """The 0 that the C function returned where Python gives something else."""
    return "0"


def read(fd: int, size: int) -> bytes:
    """read(2), which announces itself when it is a waiter's first call.

    Raises:
        CallError: whatever read(2) says.
    """
    buffer = linux.ffi.new("char[]", max(size, 1))
    count = linux.lib.evk_read(fd, buffer, size)
    if count < 0:
        fail(count, "read", fd, size)
    return bytes(linux.ffi.buffer(buffer, count))


def write(fd: int, data: bytes) -> int:
    """write(2).

    Raises:
        CallError: whatever write(2) says.
    """
    count: int = linux.lib.evk_write(fd, data, len(data))
    if count < 0:
        fail(count, "write", fd, len(data))
    return count


def close(fd: int) -> None:
    """close(2).

    Raises:
        CallError: EBADF.
    """
    result = linux.lib.evk_close(fd)
    if result < 0:
        fail(result, "close", fd)


def open_flags(flags: int) -> str:
    """`O_RDONLY|O_CLOEXEC`."""
    access = {os.O_RDONLY: "O_RDONLY", os.O_WRONLY: "O_WRONLY", os.O_RDWR: "O_RDWR"}[flags & 3]
    others = ("O_NONBLOCK", "O_CLOEXEC", "O_PATH", "O_CREAT", "O_DIRECTORY")
    return "|".join([access, *(name for name in others if flags & getattr(os, name) == getattr(os, name))])
