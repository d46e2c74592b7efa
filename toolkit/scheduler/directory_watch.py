"""Directory changes as a stream, until Ctrl-C or a time limit."""

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import WindowsCallError, describe
from toolkit.primitives.console_control import ConsoleControl
from toolkit.primitives.directory_changes import changes, start_watch
from toolkit.primitives.iocp import INFINITE, CompletionPort
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedFile

_BUFFER_SIZE = 65536  # also the most that works over a network share
_DIRECTORY_KEY = 1
_EXIT_KEY = 2


class CannotWatch(Exception):  # noqa: N818  says what the user should hear, not where the program broke
    """A directory that cannot be watched; the message says why."""


@dataclass(frozen=True)
class ChangeEvent:
    """One change below the directory: `added`, `removed`, `modified`, `renamed_from` or `renamed_to`."""

    action: str
    name: str
    primitive: str = "iocp"
    type: str = field(default="event", init=False)


@dataclass(frozen=True)
class Lost:
    """More changed between two reads than the buffer held: what is unknown."""

    action: str = "lost"
    primitive: str = "iocp"
    type: str = field(default="event", init=False)


def watch_directory(
    path: str, subtree: bool, timeout_ns: int | None, when_waiting: Callable[[], None]
) -> Iterator[ChangeEvent | Lost | int]:
    """Each change as it comes; an int, the signal's number, is the last item when Ctrl-C ended it.

    Raises:
        CannotWatch: missing, not a directory, not readable, or removed while it was watched.
        TimeoutError: `timeout_ns` passed.
    """
    end = None if timeout_ns is None else time.monotonic() + timeout_ns / 1e9
    directory = _open(path)
    with directory, CompletionPort() as port:
        port.associate(directory, _DIRECTORY_KEY)
        operation = Operation(_BUFFER_SIZE)
        try:
            start_watch(directory, operation, subtree=subtree)
        except WindowsCallError as error:
            raise CannotWatch(f"cannot watch {path}: {describe(error.winerror)}") from error
        try:
            with ConsoleControl(lambda _event: port.post(0, _EXIT_KEY)):
                when_waiting()
                while True:
                    left = INFINITE if end is None else max(0, ceil((end - time.monotonic()) * 1000))
                    packet = port.wait(left)
                    if packet is None:
                        raise TimeoutError
                    if packet.key == _EXIT_KEY:
                        yield int(signal.SIGINT)
                        return
                    if packet.error:
                        raise _no_longer(path, packet.error)
                    found = changes(operation.data(packet.bytes))
                    if found is None:
                        yield Lost()
                    for change in found or ():  # before the next call, which fails when the directory is gone
                        yield ChangeEvent(change.action.name.lower(), change.name)
                    try:
                        start_watch(directory, operation, subtree=subtree)
                    except WindowsCallError as error:
                        raise _no_longer(path, error.winerror) from error
        finally:
            if operation.pending and directory.cancel(operation):
                port.wait(1000)  # its packet: the buffer is the system's until then


def _open(path: str) -> OverlappedFile:
    if not path:
        raise CannotWatch("an empty name is no directory")
    if Path(path).is_file():
        raise CannotWatch(f"not a directory: {path}")
    try:
        return OverlappedFile.open_directory(path)
    except WindowsCallError as error:
        if error.winerror in (windows.lib.ERROR_FILE_NOT_FOUND, windows.lib.ERROR_PATH_NOT_FOUND):
            raise CannotWatch(f"no such directory: {path}") from error
        if error.winerror in (windows.lib.ERROR_INVALID_NAME, windows.lib.ERROR_BAD_PATHNAME):
            raise CannotWatch(f"no directory can have this name: {path}") from error
        raise CannotWatch(f"cannot watch {path}: {describe(error.winerror)}") from error


def _no_longer(path: str, error: int) -> CannotWatch:
    return CannotWatch(f"cannot watch {path} any longer: {describe(error)}; was it removed?")
