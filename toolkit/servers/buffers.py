"""A bounded pool of receive buffers. A worker takes one for a turn and gives it back: none crosses a layer."""

from collections import deque
from typing import Any

from toolkit.ffi import linux

BATCH = 64
"""The most events a turn takes."""

MOST = 16384
"""The most bytes a turn reads from one connection."""


class Buffer:
    """The memory of one turn: events, the bytes of each, and what is answered to each (cdefs/linux/sockets.h).

    `turn` is a struct evk_turn of the arrays. `received` is what events brought; `tokens`, `sizes`, `sent` are views,
    whose `tolist` is the quickest way to numbers.
    """

    __slots__ = ("answers", "begins", "pairs", "received", "sent", "sizes", "slab", "tokens", "turn")

    def __init__(self) -> None:
        new = linux.ffi.new
        self.pairs: Any = new("uint64_t[]", 2 * BATCH)
        tokens, sizes, sent = new("uint64_t[]", BATCH), new("int64_t[]", BATCH), new("int64_t[]", BATCH)
        self.begins: Any = new("uint64_t[]", BATCH)
        self.answers: Any = new("uint64_t[]", BATCH)
        self.slab: Any = new("char[]", BATCH * MOST)
        self.received: Any = linux.ffi.buffer(self.slab)
        self.tokens = memoryview(linux.ffi.buffer(tokens)).cast("Q")
        self.sizes = memoryview(linux.ffi.buffer(sizes)).cast("q")
        self.sent = memoryview(linux.ffi.buffer(sent)).cast("q")
        arrays = (self.pairs, tokens, sizes, self.begins, self.answers, sent, self.slab)
        self.turn: Any = new("struct evk_turn *", (*arrays, MOST))

    def bytes_of(self, event: int, size: int) -> bytes:
        """The `size` bytes that event number `event` brought."""
        begin = self.begins[event]
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
