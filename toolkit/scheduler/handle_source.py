"""What the completion-port scheduler reads from: a handle and the place in it, which nobody else advances."""

from pathlib import Path

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import WindowsCallError, describe, fail
from toolkit.primitives.overlapped_file import OverlappedFile, OverlappedHandle
from toolkit.primitives.owned_handle import pointer_of

_PIPES = r"\\.\pipe"
_PIPE_PREFIX = _PIPES + "\\"


class CannotRead(Exception):  # noqa: N818  says what the user should hear, not where the program broke
    """A source that cannot be read; the message says why and what would be right."""


class NotThere(CannotRead):
    """Nothing has that name now, or its server is busy with another client: later it may be there."""


class HandleSource:
    """An overlapped handle, read from its start on.

    Attributes:
        ends: whether its end is final, whatever comes under its name later.
        offset: where the next read begins, in bytes. Files only; pipes have no place.
    """

    def __init__(self, name: str, handle: OverlappedHandle) -> None:
        """Takes ownership of `handle`."""
        self.name = name
        self.handle = handle
        self.offset = 0
        self.ends = False
        self.seekable = windows.lib.GetFileType(pointer_of(handle)) == windows.lib.FILE_TYPE_DISK

    @classmethod
    def open(cls, name: str) -> "HandleSource":
        r"""A file, or the client end of a pipe such as ``\\.\pipe\log``.

        Raises:
            NotThere: missing, or a pipe without a free instance.
            CannotRead: a directory, not readable.
        """
        lib = windows.lib
        if not name:
            raise CannotRead("an empty name is no file")
        if name.rstrip("\\").lower() == _PIPES:
            raise CannotRead(rf"{name} holds all pipes; give the name of one (\\.\pipe\NAME)")
        if (
            not name.startswith(_PIPE_PREFIX) and Path(name).is_dir()
        ):  # asking about a pipe takes its instance
            raise CannotRead(rf"a directory, {name}; give a file or a pipe (\\.\pipe\NAME)")
        try:
            return cls(name, OverlappedFile.open(name))
        except WindowsCallError as error:
            if error.winerror in (lib.ERROR_FILE_NOT_FOUND, lib.ERROR_PATH_NOT_FOUND):
                raise NotThere(f"no such file or pipe: {name}") from error
            if error.winerror in (lib.ERROR_INVALID_NAME, lib.ERROR_BAD_PATHNAME):
                raise CannotRead(f"no file can have this name: {name}") from error
            if error.winerror == lib.ERROR_PIPE_BUSY:
                raise NotThere(f"every instance of this pipe has its client already: {name}") from error
            raise CannotRead(f"cannot open {name}: {describe(error.winerror)}") from error

    def size(self) -> int:
        """The length of the file that was opened, whatever has its name by now (GetFileSizeEx).

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        length = windows.ffi.new("LARGE_INTEGER *")
        if not windows.lib.GetFileSizeEx(pointer_of(self.handle), length):
            fail("GetFileSizeEx", hex(self.handle.handle))
        bytes_there: int = length.QuadPart
        return bytes_there

    def close(self) -> None:
        """Closes the handle; again is harmless."""
        self.handle.close()
