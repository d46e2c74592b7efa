"""A bounded pool of receive buffers. A worker takes one for a turn and gives it back: none crosses a layer."""

from collections import deque
from typing import Any

from toolkit.ffi import linux

BATCH = 64
"""The most events a turn takes."""

SLOT_SIZE = 16384
"""The most bytes a turn reads from one connection."""


class Buffer:
    """The memory of one turn: events, a slot of bytes for each, and what is answered to each (cdefs/linux/sockets.h).

    `pairs`, `sizes`, `answers` and `sent` are cffi arrays. `received[i * SLOT_SIZE :]` is what event i brought.
    """

    __slots__ = ("answers", "pairs", "received", "sent", "sizes", "slab")

    def __init__(self) -> None:
        new = linux.ffi.new
        self.pairs: Any = new("uint64_t[]", 2 * BATCH)
        self.sizes: Any = new("int64_t[]", BATCH)
        self.answers: Any = new("uint64_t[]", BATCH)
        self.sent: Any = new("int64_t[]", BATCH)
        self.slab: Any = new("char[]", BATCH * SLOT_SIZE)
        self.received: Any = linux.ffi.buffer(self.slab)

    def bytes_of(self, event: int, size: int) -> bytes:
        """The `size` bytes in the slot of event number `event`."""
        begin = event * SLOT_SIZE
        data: bytes = self.received[begin : begin + size]
        return data


class BufferPool:
    """`count` buffers of 1 MiB, made once. Threads share it: taking and giving back are atomic on a deque."""

    def __init__(self, count: int) -> None:
        self._free = deque(Buffer() for _ in range(count))

    def take(self) -> Buffer:
        """A buffer, to be given back by `give_back` whatever happens.

        Raises:
            IndexError: all are taken: the pool is smaller than the number of workers that share it.
        """
        return self._free.pop()

    def give_back(self, buffer: Buffer) -> None:
        """Takes a buffer back."""
        self._free.append(buffer)
