"""Just enough of io_uring(7) to queue an epoll_ctl and submit it later."""

import mmap
import os
import struct

from toolkit.ffi import raw, tracing

_SETUP, _ENTER = 425, 426  # include/uapi/asm-generic/unistd.h; the same on x86-64
_OP_EPOLL_CTL = 29
_GETEVENTS = 1
_SQES_OFFSET = 0x10000000
_SQE_BYTES, _CQE_BYTES = 64, 16
_ENTRIES = 4
_RING_BYTES = 4096


class Ring:
    """A ring of four entries in one mapping (IORING_FEAT_SINGLE_MMAP, Linux 5.4)."""

    def __init__(self) -> None:
        """io_uring_setup(2).

        Raises:
            OSError: ENOSYS, EPERM where it is forbidden.
        """
        with raw.Region() as region:
            params_at = region.write(bytes(120))
            fd, error = raw.syscall(_SETUP, _ENTRIES, params_at)
            if fd < 0:
                raise OSError(error, f"io_uring_setup: {os.strerror(error)}")
            params = region.read(120)
        self._fd = fd
        submission = struct.unpack_from("=8I", params, 40)
        completion = struct.unpack_from("=8I", params, 80)
        self._tail_at, self._array_at = submission[1], submission[6]
        self._done_head_at, self._cqes_at = completion[0], completion[5]
        self._ring = mmap.mmap(fd, _RING_BYTES, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self._sqes = mmap.mmap(fd, _ENTRIES * _SQE_BYTES, mmap.MAP_SHARED, offset=_SQES_OFFSET)
        self._queued = 0

    def queue_epoll_ctl(self, epfd: int, op: int, fd: int) -> None:
        """Puts an IORING_OP_EPOLL_CTL without event (so EPOLL_CTL_DEL) into the ring; nothing happens yet."""
        entry = struct.pack("=BBHiQQIIQ", _OP_EPOLL_CTL, 0, 0, epfd, fd, 0, op, 0, 1)
        index = self._queued % _ENTRIES
        self._sqes[index * _SQE_BYTES : (index + 1) * _SQE_BYTES] = entry.ljust(_SQE_BYTES, b"\0")
        struct.pack_into("=I", self._ring, self._array_at + 4 * index, index)
        self._queued += 1
        struct.pack_into("=I", self._ring, self._tail_at, self._queued)

    def submit(self) -> int:
        """io_uring_enter(2) for one entry: its result, or -errno.

        Raises:
            OSError: the call itself failed.
        """
        taken, error = raw.syscall(_ENTER, self._fd, 1, 1, _GETEVENTS, 0, 0)
        if taken < 0:
            raise OSError(error, f"io_uring_enter: {os.strerror(error)}")
        (head,) = struct.unpack_from("=I", self._ring, self._done_head_at)
        at = self._cqes_at + _CQE_BYTES * (head % (2 * _ENTRIES))
        (result,) = struct.unpack_from("=8xi4x", self._ring, at)
        struct.pack_into("=I", self._ring, self._done_head_at, head + 1)
        tracing.emit(
            "io_uring_enter", f"{self._fd}, 1, 1, IORING_ENTER_GETEVENTS", f"{taken}, cqe.res={result}"
        )
        return int(result)
