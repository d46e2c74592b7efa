"""Errors of system calls: OSError of the usual class, which also knows the call and its arguments."""

import errno
import os
from functools import cache
from typing import NoReturn


class PlatformLacksError(ImportError):
    """This platform has no such primitive; the message says what to use instead."""


class CallError(OSError):
    """A system call failed.

    Also an instance of the class Python uses for that errno (BlockingIOError for EAGAIN, FileExistsError for
    EEXIST, ...), so both ``except CallError`` and ``except BlockingIOError`` work.

    Attributes:
        call: the function's name in its man page, such as ``epoll_ctl``.
        arguments: what it was called with, as numbers.
    """

    call: str
    arguments: tuple[object, ...]

    def __str__(self) -> str:
        """`epoll_ctl(4, 1, 5, ...): EEXIST (File exists)`."""
        arguments = ", ".join(str(argument) for argument in self.arguments)
        return f"{self.call}({arguments}): {errno_name(self.errno or 0)} ({self.strerror})"


@cache
def _class_for(number: int) -> type[CallError]:
    usual = type(OSError(number, ""))
    if usual is OSError:
        return CallError
    return type(f"Call{usual.__name__}", (CallError, usual), {})


def errno_name(number: int) -> str:
    """`EAGAIN` for 11; the number itself where it has no name. One name where Linux gives a number two."""
    return _PREFERRED.get(number) or errno.errorcode.get(number, str(number))


# Python keeps the last name it met; man pages and strace use these.
_PREFERRED = {errno.EAGAIN: "EAGAIN", getattr(errno, "EOPNOTSUPP", -1): "EOPNOTSUPP"}


def fail(result: int, call: str, *arguments: object) -> NoReturn:
    """Raises the CallError for `result`, which is -errno."""
    error = _class_for(-result)(-result, os.strerror(-result))
    error.call = call
    error.arguments = arguments
    raise error
