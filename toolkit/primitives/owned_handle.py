"""What every object that owns a Windows handle has in common: it closes once, and is loud when used afterwards."""

from types import TracebackType
from typing import Any, Protocol, TypeVar

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail

Self = TypeVar("Self", bound="OwnedHandle")


class HasHandle(Protocol):
    """Anything with a handle: a file, a port, an event."""

    @property
    def handle(self) -> int: ...


HandleLike = int | HasHandle


def pointer_of(handle: HandleLike) -> Any:  # noqa: ANN401  cffi data has no static type
    """The HANDLE to pass to a call. Not validated: a bad one passes, and the system answers."""
    return windows.ffi.cast("HANDLE", handle if isinstance(handle, int) else handle.handle)


def number_of(pointer: Any) -> int:  # noqa: ANN401  cffi data has no static type
    """The number of a HANDLE; -1 for INVALID_HANDLE_VALUE."""
    return int(windows.ffi.cast("intptr_t", pointer))


class OwnedHandle:
    """Owns one handle: closes it once, on `close()`, at the end of a with block, or when collected."""

    __slots__ = ("_number", "_pointer")

    def __init__(self, pointer: Any) -> None:  # noqa: ANN401  cffi data has no static type
        """Takes ownership of the HANDLE `pointer`, which nobody else may close."""
        self._pointer = pointer
        self._number = number_of(pointer)

    @property
    def handle(self) -> int:
        """The handle's number.

        Raises:
            ValueError: it was closed.
        """
        if self._number == 0:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._number

    @property
    def closed(self) -> bool:
        """Whether the handle was closed."""
        return self._number == 0

    def close(self) -> None:
        """CloseHandle; again is harmless.

        Raises:
            WindowsCallError: the call failed. The number is gone all the same.
        """
        number, self._number = self._number, 0
        pointer, self._pointer = self._pointer, windows.NULL
        if number and not windows.lib.CloseHandle(pointer):
            fail("CloseHandle", hex(number))

    def duplicate(self: Self) -> Self:
        """A second handle to the same object (DuplicateHandle, DUPLICATE_SAME_ACCESS), owned by itself.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        source = pointer_of(self.handle)
        target = windows.ffi.new("HANDLE *")
        me = windows.lib.GetCurrentProcess()
        if not windows.lib.DuplicateHandle(
            me, source, me, target, 0, False, windows.lib.DUPLICATE_SAME_ACCESS
        ):
            fail("DuplicateHandle", hex(self._number))
        twin = type(self).__new__(type(self))
        twin._adopt(self, target[0])
        return twin

    def _adopt(self: Self, original: Self, pointer: Any) -> None:  # noqa: ANN401  cffi data
        """Becomes `original`'s duplicate, which owns `pointer`."""
        OwnedHandle.__init__(self, pointer)

    def __enter__(self: Self) -> Self:
        _ = self.handle
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_number", 0):
            windows.compiled.CloseHandle(self._pointer)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} handle={hex(self._number) if self._number else 'closed'}>"
