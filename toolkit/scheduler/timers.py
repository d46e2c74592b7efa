"""Coroutines that sleep, by the moment they are due; those due at the same moment wake in the order they came."""

import time
from heapq import heappop, heappush
from itertools import count
from math import ceil

from toolkit.scheduler.instructions import Suspended


class Timers:
    """A heap of sleepers, on the monotonic clock."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Suspended]] = []
        self._order = count()

    def add(self, at: float, sleeper: Suspended) -> None:
        """`sleeper` is due at `at`, in seconds."""
        heappush(self._heap, (at, next(self._order), sleeper))

    def take_due(self) -> list[Suspended]:
        """Those whose moment has come, in order."""
        due: list[Suspended] = []
        if self._heap:
            now = time.monotonic()
            while self._heap and self._heap[0][0] <= now:
                due.append(heappop(self._heap)[2])
        return due

    def take_all(self) -> list[Suspended]:
        """All of them, due or not."""
        sleepers = [sleeper for _, _, sleeper in self._heap]
        self._heap.clear()
        return sleepers

    def next_due_ms(self) -> int | None:
        """Milliseconds until the next one is due, rounded up so that no wait ends early; None without any."""
        if not self._heap:
            return None
        return max(0, ceil((self._heap[0][0] - time.monotonic()) * 1000))
