"""Directory changes as overlapped reads: ReadDirectoryChangesW.

https://learn.microsoft.com/windows/win32/api/winbase/nf-winbase-readdirectorychangesw
"""

import struct
from enum import IntEnum, IntFlag
from typing import NamedTuple

from toolkit.ffi import windows
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.overlapped_file import OverlappedFile
from toolkit.primitives.owned_handle import pointer_of

_constant = windows.ffi.integer_const
_HEAD = struct.Struct(
    "<III"
)  # FILE_NOTIFY_INFORMATION: NextEntryOffset, Action, FileNameLength; then the name


class ChangeFilter(IntFlag):
    """Which changes to hear of."""

    FILE_NAME = _constant("FILE_NOTIFY_CHANGE_FILE_NAME")
    DIR_NAME = _constant("FILE_NOTIFY_CHANGE_DIR_NAME")
    ATTRIBUTES = _constant("FILE_NOTIFY_CHANGE_ATTRIBUTES")
    SIZE = _constant("FILE_NOTIFY_CHANGE_SIZE")
    LAST_WRITE = _constant("FILE_NOTIFY_CHANGE_LAST_WRITE")


EVERYTHING = ChangeFilter(31)


class Action(IntEnum):
    """What happened to a name."""

    ADDED = _constant("FILE_ACTION_ADDED")
    REMOVED = _constant("FILE_ACTION_REMOVED")
    MODIFIED = _constant("FILE_ACTION_MODIFIED")
    RENAMED_FROM = _constant("FILE_ACTION_RENAMED_OLD_NAME")
    RENAMED_TO = _constant("FILE_ACTION_RENAMED_NEW_NAME")


class Change(NamedTuple):
    """One change; `name` is relative to the directory."""

    action: Action
    name: str


def start_watch(
    directory: OverlappedFile, operation: Operation, what: ChangeFilter = EVERYTHING, *, subtree: bool = False
) -> Outcome:
    """Asks for the next changes. The system collects from the first call on, also between two calls.

    Raises:
        WindowsCallError: it failed at once, and no packet will come.
        RuntimeError: the operation is in flight already.
        ValueError: closed.
    """
    handle = pointer_of(directory.handle)
    operation.depart()
    done = windows.lib.ReadDirectoryChangesW(
        handle,
        operation.buffer,
        operation.size,
        subtree,
        int(what),
        windows.NULL,
        operation.overlapped,
        windows.NULL,
    )
    outcome = operation.settle(
        done, False, "ReadDirectoryChangesW", directory.handle, operation.size, hex(what)
    )
    return Outcome.PENDING if done else outcome  # TRUE says "queued" here, not "done"


def changes(data: bytes) -> list[Change] | None:
    """The changes in a finished operation's bytes; None for no bytes: more happened than the buffer held."""
    if not data:
        return None
    found, at = [], 0
    while True:
        following, action, length = _HEAD.unpack_from(data, at)
        name = data[at + _HEAD.size : at + _HEAD.size + length].decode("utf-16-le")
        found.append(Change(Action(action), name))
        if not following:
            return found
        at += following
