"""Pointer-level calls without any validation, for cases about bad pointers, sizes and masks only.

Every function returns `(result, errno)`: errno is 0 on success, the result -1 on failure, as in C. Addresses are
plain integers; `Region` gives memory whose protection is chosen, so that a bad pointer is bad for a known reason.
"""

import mmap
from types import TracebackType
from typing import Final

from toolkit.ffi import linux

Outcome = tuple[int, int]

NULL: Final = 0
EPOLL_EVENT_SIZE: Final = linux.ffi.sizeof("struct epoll_event")
EPOLL_EVENT_DATA_OFFSET: Final = linux.ffi.offsetof("struct epoll_event", "data")
SIGNALFD_SIGINFO_SIZE: Final = linux.ffi.sizeof("struct signalfd_siginfo")
PAGE: Final = mmap.PAGESIZE


class Region:
    """Two pages of anonymous memory: the first as asked, the second inaccessible (released).

    `address` is the first byte; `end` is the first inaccessible one, so a pointer just below `end` is good for that
    many bytes only.
    """

    def __init__(self, *, writable: bool = True) -> None:
        whole = mmap.mmap(-1, 2 * PAGE)
        self._whole = whole
        self.address = int(linux.ffi.cast("uintptr_t", linux.ffi.from_buffer(whole)))
        self.end = self.address + PAGE
        _mprotect(self.end, 0)
        if not writable:
            _mprotect(self.address, mmap.PROT_READ)

    def write(self, data: bytes, offset: int = 0) -> int:
        """Puts `data` at `offset` and returns its address. The region must be writable."""
        self._whole[offset : offset + len(data)] = data
        return self.address + offset

    def read(self, size: int, offset: int = 0) -> bytes:
        """`size` bytes from `offset` of the first page."""
        return self._whole[offset : offset + size]

    def close(self) -> None:
        """Makes both pages ordinary again, so that freeing them cannot fault."""
        for address in (self.address, self.end):
            _mprotect(address, mmap.PROT_READ | mmap.PROT_WRITE)

    def __enter__(self) -> "Region":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def _mprotect(address: int, protection: int) -> None:
    result, error = syscall(linux.compiled.SYS_mprotect, address, PAGE, protection)
    if result < 0:
        raise OSError(error, "mprotect")


def _outcome(result: int) -> Outcome:
    return (result, 0) if result >= 0 else (-1, -result)


def epoll_ctl(epfd: int, op: int, fd: int, event: int) -> Outcome:
    """epoll_ctl(2) with `event` an address."""
    return _outcome(linux.lib.evk_raw_epoll_ctl(epfd, op, fd, event))


def epoll_wait(epfd: int, events: int, maxevents: int, timeout_ms: int) -> Outcome:
    """epoll_wait(2) with `events` an address."""
    return _outcome(linux.lib.evk_raw_epoll_wait(epfd, events, maxevents, timeout_ms))


def read(fd: int, buffer: int, size: int) -> Outcome:
    """read(2) into an address."""
    return _outcome(linux.lib.evk_raw_read(fd, buffer, size))


def write(fd: int, buffer: int, size: int) -> Outcome:
    """write(2) from an address."""
    return _outcome(linux.lib.evk_raw_write(fd, buffer, size))


def syscall(number: int, *words: int) -> Outcome:
    """syscall(2) with up to six 64-bit words; negative ones are sign-extended."""
    six = [word & (2**64 - 1) for word in words] + [0] * (6 - len(words))
    return _outcome(linux.lib.evk_raw_syscall(number, *six))
