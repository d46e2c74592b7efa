"""eventfd(2): a 64-bit counter in the kernel that can be waited on."""

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.eventfd_flags import EFD_CLOEXEC, EFD_NONBLOCK, EFD_SEMAPHORE, EventFdFlags
from toolkit.primitives.owned import OwnedDescriptor

__all__ = ["EFD_CLOEXEC", "EFD_NONBLOCK", "EFD_SEMAPHORE", "MAXIMUM", "EventFd", "EventFdFlags", "peek"]

_ONE = 1
_COUNT_KEPT: int = linux.compiled.EVK_COUNT_KEPT
_LOWEST_ERRNO = -4095  # include/linux/err.h, MAX_ERRNO

MAXIMUM = 2**64 - 2
"""The largest count an eventfd holds; a write that would pass it blocks or fails with EAGAIN."""


class EventFd(OwnedDescriptor):
    """An eventfd. Never retries on EINTR: that is for the loop above to decide."""

    __slots__ = ()

    def __init__(self, initial: int = 0, flags: int = EFD_CLOEXEC) -> None:
        """Creates an eventfd that starts at `initial` (0 to 2^32-1).

        Raises:
            CallError: EINVAL for unknown flags, EMFILE, ENFILE, ENODEV, ENOMEM.
            OverflowError: `initial` does not fit an unsigned int.
        """
        fd = linux.lib.evk_eventfd(initial, flags)
        if fd < 0:
            fail(fd, "eventfd", initial, flags)
        super().__init__(fd)

    @classmethod
    def adopt(cls, fd: int) -> "EventFd":
        """Takes ownership of an eventfd made elsewhere."""
        adopted = cls.__new__(cls)
        OwnedDescriptor.__init__(adopted, fd)
        return adopted

    def read(self) -> int:
        """Takes the counter (or one unit of a semaphore) and returns it.

        Raises:
            CallError: EAGAIN when it is 0 and non-blocking; EINTR when a handler ran.
            ValueError: closed.
        """
        count: int = linux.evk_eventfd_read(self._fd)
        if count < 0:  # failed, or a count of 2^63 and more
            if count > _COUNT_KEPT:
                self._fail(count, "read", 8)
            if count >= _LOWEST_ERRNO:
                count = linux.compiled.evk_eventfd_read_kept(count)
                if not count:
                    raise MemoryError
                return count
            count += 2**64
        return count

    def write(self, value: int) -> None:
        """Adds `value` (0 to 2^64-2) to the counter.

        Raises:
            CallError: EAGAIN when the sum would pass 2^64-2 and it is non-blocking; EINVAL for 2^64-1; EINTR.
            OverflowError: `value` does not fit 64 bits.
            ValueError: closed.
        """
        # 1 is a wake-up, and costs one argument less on the way to C. Asked for the object: 1.0 is equal, and no number
        # of bytes to write.
        result = (
            linux.evk_eventfd_write_one(self._fd)
            if value is _ONE
            else linux.evk_eventfd_write(self._fd, value)
        )
        if result < 0:
            self._fail(result, "write", value)

    def peek(self) -> int:
        """The counter, without consuming it, from /proc/self/fdinfo (proc_pid_fdinfo(5), since Linux 3.8).

        Raises:
            OSError: /proc is not mounted or forbids it.
            ValueError: closed.
        """
        return peek(self.fileno())


def peek(fd: int, pid: int | str = "self") -> int:
    """The count of eventfd `fd` in process `pid`, without consuming it.

    Raises:
        OSError: no such process or descriptor, or not permitted.
        ValueError: the descriptor is not an eventfd.
    """
    from toolkit.primitives.fdinfo import read_fdinfo  # only who peeks needs it

    fields = read_fdinfo(fd, pid)
    if "eventfd-count" not in fields:
        raise ValueError(f"descriptor {fd} is not an eventfd")
    return int(fields["eventfd-count"], 16)
