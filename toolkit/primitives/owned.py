"""What every object that owns a descriptor has in common: it closes once, and is loud when used afterwards."""

import os
from types import TracebackType
from typing import NoReturn, Protocol, TypeVar

from toolkit.ffi import linux
from toolkit.ffi.errors import fail

Self = TypeVar("Self", bound="OwnedDescriptor")


class HasFileno(Protocol):
    """Anything with a descriptor: a socket, a file, a primitive."""

    def fileno(self) -> int: ...


Descriptor = int | HasFileno


def number_of(descriptor: Descriptor) -> int:
    """The number of a descriptor or of an object that has one. Not validated: -1 passes, and the kernel answers."""
    return descriptor if isinstance(descriptor, int) else descriptor.fileno()


class OwnedDescriptor:
    """Owns one descriptor: closes it once, on `close()`, at the end of a with block, or when collected."""

    __slots__ = ("_fd",)

    def __init__(self, fd: int) -> None:
        """Takes ownership of `fd`, which nobody else may close."""
        self._fd = fd

    def fileno(self) -> int:
        """The descriptor's number.

        Raises:
            ValueError: it was closed or detached.
        """
        if self._fd < 0:
            raise self._closed()
        return self._fd

    @property
    def closed(self) -> bool:
        """Whether the descriptor was closed or detached."""
        return self._fd < 0

    def close(self) -> None:
        """Closes the descriptor; again is harmless.

        Raises:
            CallError: close(2) failed. The number is gone all the same.
        """
        fd, self._fd = self._fd, -1
        if fd >= 0:
            result = linux.lib.evk_close(fd)
            if result < 0:
                fail(result, "close", fd)

    def detach(self) -> int:
        """Gives the descriptor away without closing it, and returns its number."""
        fd = self.fileno()
        self._fd = -1
        return fd

    def _fail(self, result: int, call: str, *arguments: object) -> NoReturn:
        """Raises what `result` of a call on this descriptor means: it is -errno, or this object is closed."""
        if self._fd < 0:
            raise self._closed()
        fail(result, call, self._fd, *arguments)

    def _closed(self) -> ValueError:
        return ValueError(f"this {type(self).__name__} is closed")

    def __enter__(self: Self) -> Self:
        self.fileno()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            os.close(self._fd)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} fd={'closed' if self._fd < 0 else self._fd}>"
