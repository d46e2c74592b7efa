"""Deadlines at O(1) an event: a timing wheel that re-files lazily.

Activity only stores a new deadline in the object. An object is looked at when its slot comes round: then it is either
due or filed again under the deadline it has by now. See Varghese and Lauck, "Hashed and hierarchical timing wheels"
(1987).
"""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class HasDeadline(Protocol):
    """Anything with a moment of the monotonic clock, in nanoseconds, by which it is due; `closed` takes it out."""

    deadline: int
    closed: bool


Timed = TypeVar("Timed", bound=HasDeadline)


class TimingWheel(Generic[Timed]):
    """Calls `expire` for each object whose deadline has passed, at most one slot's width late."""

    def __init__(self, longest_ns: int, now: int, expire: Callable[[Timed], None], slots: int = 64) -> None:
        self._width = max(1, longest_ns // (slots // 2))
        self._slots: list[list[Timed]] = [[] for _ in range(slots)]
        self._expire = expire
        self._tick = now // self._width
        self._next_at = (self._tick + 1) * self._width
        self._filed = 0

    def add(self, timed: Timed) -> None:
        """Files an object under its deadline; one that is filed already may be filed again, under a nearer one."""
        tick = min(max(timed.deadline // self._width + 1, self._tick + 1), self._tick + len(self._slots) - 1)
        self._slots[tick % len(self._slots)].append(timed)
        self._filed += 1

    def advance(self, now: int) -> bool:
        """Looks at every slot that has come round by `now`; whether there was one."""
        if now < self._next_at:
            return False
        last = now // self._width
        for tick in range(max(self._tick + 1, last - len(self._slots) + 1), last + 1):
            self._tick = tick
            slot = self._tick % len(self._slots)
            due, self._slots[slot] = self._slots[slot], []
            self._filed -= len(due)
            for timed in due:
                if timed.closed:
                    continue
                if timed.deadline <= now:
                    self._expire(timed)
                else:
                    self.add(timed)
        self._next_at = (self._tick + 1) * self._width
        return True

    def next_ns(self, now: int) -> int | None:
        """Nanoseconds until the next slot comes round; None while nothing is filed."""
        if not self._filed:
            return None
        left = self._next_at - now
        return left if left > 0 else 0  # noqa: FURB136  max() is a call, on the path of every turn
