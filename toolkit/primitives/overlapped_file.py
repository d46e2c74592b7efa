"""Files, pipe ends and directories opened for overlapped calls.

https://learn.microsoft.com/windows/win32/fileio/synchronous-and-asynchronous-i-o
"""

from enum import IntFlag
from os import PathLike, fspath
from typing import Any

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail
from toolkit.primitives.iocp import INFINITE
from toolkit.primitives.operation import Operation, Outcome
from toolkit.primitives.owned_handle import OwnedHandle, number_of, pointer_of

_constant = windows.ffi.integer_const


class Access(IntFlag):
    """What CreateFileW asks for."""

    READ = _constant("GENERIC_READ")
    WRITE = _constant("GENERIC_WRITE")
    LIST_DIRECTORY = _constant("FILE_LIST_DIRECTORY")


class NotificationModes(IntFlag):
    """SetFileCompletionNotificationModes: what to leave out when a call succeeds at once."""

    SKIP_COMPLETION_PORT_ON_SUCCESS = _constant("FILE_SKIP_COMPLETION_PORT_ON_SUCCESS")
    SKIP_SET_EVENT_ON_HANDLE = _constant("FILE_SKIP_SET_EVENT_ON_HANDLE")


_SHARE_ALL = _constant("FILE_SHARE_READ") | _constant("FILE_SHARE_WRITE") | _constant("FILE_SHARE_DELETE")


class OverlappedHandle(OwnedHandle):
    """A handle whose calls end on a completion port, an event, or in GetOverlappedResult."""

    __slots__ = ("_skips_packets",)

    def __init__(self, pointer: Any) -> None:  # noqa: ANN401  cffi data has no static type
        super().__init__(pointer)
        self._skips_packets = False

    def _adopt(self, original: "OverlappedHandle", pointer: Any) -> None:  # noqa: ANN401  cffi data
        super()._adopt(original, pointer)
        self._skips_packets = (
            original._skips_packets
        )  # the mode belongs to the file, which both handles share

    def set_notification_modes(self, modes: NotificationModes) -> None:
        """SetFileCompletionNotificationModes; a mode once set stays.

        https://learn.microsoft.com/windows/win32/api/winbase/nf-winbase-setfilecompletionnotificationmodes

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        if not windows.lib.SetFileCompletionNotificationModes(pointer_of(self.handle), int(modes)):
            fail("SetFileCompletionNotificationModes", hex(self.handle), int(modes))
        self._skips_packets |= bool(modes & NotificationModes.SKIP_COMPLETION_PORT_ON_SUCCESS)

    def read(self, operation: Operation) -> Outcome:
        """ReadFile into the operation's buffer, at its offset.

        Raises:
            WindowsCallError: it failed at once, and no packet will come: 38 at the end of a file, 109 when a pipe's
                other end is gone.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        number = self.handle
        operation.depart()
        done = windows.ReadFile(
            self._pointer, operation.buffer, operation.size, windows.NULL, operation.overlapped
        )
        return operation.settle(
            done, self._skips_packets, "ReadFile", number, operation.size, operation.offset
        )

    def write(self, operation: Operation) -> Outcome:
        """WriteFile from the operation's buffer, at its offset.

        Raises:
            WindowsCallError: it failed at once, and no packet will come: 5 without write access, 232 when a pipe's
                other end is gone.
            RuntimeError: the operation is in flight already.
            ValueError: closed.
        """
        number = self.handle
        operation.depart()
        done = windows.WriteFile(
            self._pointer, operation.buffer, operation.size, windows.NULL, operation.overlapped
        )
        return operation.settle(
            done, self._skips_packets, "WriteFile", number, operation.size, operation.offset
        )

    def cancel(self, operation: Operation | None = None) -> bool:
        """CancelIoEx: asks for the end of one operation, or of all on this handle, from any thread.

        The packet still comes, with 995 or with the result that was faster; the memory is the system's until then.

        Returns:
            False when there was nothing to cancel (1168): the operation had ended already.

        Raises:
            WindowsCallError: the call failed otherwise.
            ValueError: closed.
        """
        which = windows.NULL if operation is None else operation.overlapped
        if windows.lib.CancelIoEx(pointer_of(self.handle), which):
            return True
        if windows.lib.GetLastError() != windows.lib.ERROR_NOT_FOUND:
            fail("CancelIoEx", hex(self.handle), "NULL" if operation is None else hex(operation.address))
        return False

    def result(self, operation: Operation, timeout_ms: int = 0) -> int:
        """GetOverlappedResultEx: how many bytes moved. With a port, the packet is queued all the same.

        Raises:
            WindowsCallError: the operation failed; 996 while it runs, with a timeout of 0; 258 at a later timeout.
            ValueError: closed.
        """
        count = windows.ffi.new("DWORD *")
        file = pointer_of(self.handle)
        if timeout_ms == INFINITE:
            done = windows.lib.GetOverlappedResult(file, operation.overlapped, count, True)
        else:
            done = windows.lib.GetOverlappedResultEx(file, operation.overlapped, count, timeout_ms, False)
        if not done:
            fail("GetOverlappedResult", hex(self.handle), hex(operation.address), timeout_ms)
        moved: int = count[0]
        return moved


class OverlappedFile(OverlappedHandle):
    """A file, a directory, or the client end of a named pipe, opened with FILE_FLAG_OVERLAPPED."""

    __slots__ = ()

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        access: Access = Access.READ,
        *,
        create: bool = False,
        flags: int = 0,
        overlapped: bool = True,
    ) -> "OverlappedFile":
        """CreateFileW, sharing everything.

        Args:
            path: a file, or a pipe such as ``\\\\.\\pipe\\name``.
            create: makes the file, or empties the one there.
            flags: FILE_FLAG_... beside FILE_FLAG_OVERLAPPED.
            overlapped: False opens a handle that no port takes (87).

        Raises:
            WindowsCallError: 2 no such file, 5 not permitted (also a directory), 231 all instances of a pipe busy.
        """
        flag_word = flags | (windows.lib.FILE_FLAG_OVERLAPPED if overlapped else 0)
        disposition = windows.lib.CREATE_ALWAYS if create else windows.lib.OPEN_EXISTING
        name = fspath(path)
        pointer = windows.lib.CreateFileW(
            name, int(access), _SHARE_ALL, windows.NULL, disposition, flag_word, windows.NULL
        )
        if number_of(pointer) == -1:
            fail("CreateFileW", repr(name), hex(access), disposition, hex(flag_word))
        return cls(pointer)

    @classmethod
    def open_directory(cls, path: str | PathLike[str]) -> "OverlappedFile":
        """A directory, for ReadDirectoryChangesW: needs FILE_FLAG_BACKUP_SEMANTICS, or it is refused with 5."""
        return cls.open(path, Access.LIST_DIRECTORY, flags=windows.lib.FILE_FLAG_BACKUP_SEMANTICS)

    def make_sparse(self) -> None:
        """FSCTL_SET_SPARSE: what is never written takes no room on the disk.

        Raises:
            WindowsCallError: the file system cannot.
            ValueError: closed.
        """
        operation = Operation()
        operation.depart()
        done = windows.lib.DeviceIoControl(
            pointer_of(self.handle), windows.lib.FSCTL_SET_SPARSE, windows.NULL, 0, windows.NULL, 0, windows.NULL,
            operation.overlapped,
        )  # fmt: skip
        try:
            operation.settle(done, self._skips_packets, "DeviceIoControl", self.handle, "FSCTL_SET_SPARSE")
            self.result(operation, INFINITE)
        finally:
            operation.arrive()
