"""eventfd's flags, apart from the others: `evkit eventfd add` is used from shells, where making enums is felt."""

from enum import IntFlag
from typing import Final

from toolkit.ffi.linux import compiled as _lib


class EventFdFlags(IntFlag):
    """Flags of eventfd(2)."""

    EFD_SEMAPHORE = _lib.EFD_SEMAPHORE
    EFD_NONBLOCK = _lib.EFD_NONBLOCK
    EFD_CLOEXEC = _lib.EFD_CLOEXEC


EFD_SEMAPHORE: Final = EventFdFlags.EFD_SEMAPHORE
EFD_NONBLOCK: Final = EventFdFlags.EFD_NONBLOCK
EFD_CLOEXEC: Final = EventFdFlags.EFD_CLOEXEC
