"""The memory a run's workers share: mapped before they start, so threads and forked processes see the same."""

import mmap
from typing import Any

from toolkit.ffi import linux

_LINE = 64  # a cache line: neighbours must not share one


def _stride(kind: str) -> int:
    lines: int = -(-linux.ffi.sizeof(kind) // _LINE)
    return lines * _LINE


class RunMemory:
    """Maps C structs for one run; zeroed, shared with children of fork.

    The memory goes with this object: keep it as long as any pointer into it.
    """

    def __init__(self, processes: bool) -> None:
        self._flags = mmap.MAP_ANONYMOUS | (mmap.MAP_SHARED if processes else mmap.MAP_PRIVATE)
        self._maps: list[mmap.mmap] = []
        self.run: Any = self._allocate("struct evk_run", 1)

    def worker(self) -> Any:  # noqa: ANN401  cffi data has no static type
        """One `struct evk_worker`, on cache lines of its own."""
        return self._allocate("struct evk_worker", 1)

    def array(self, kind: str, count: int) -> Any:  # noqa: ANN401  cffi data has no static type
        """`count` structs in a row."""
        return self._allocate(kind, count)

    def _allocate(self, kind: str, count: int) -> Any:  # noqa: ANN401  cffi data has no static type
        size = _stride(kind) if count == 1 else linux.ffi.sizeof(kind) * count
        memory = mmap.mmap(-1, max(size, 1), flags=self._flags)
        self._maps.append(memory)
        return linux.ffi.cast(f"{kind} *", linux.ffi.from_buffer(memory))
