"""The bounded queue between the asynchronous and the synchronous layer, and what it can tell about itself."""

import time
from collections import deque
from threading import Lock
from typing import Generic, TypeVar

Item = TypeVar("Item")
_COURSE_SLOTS = 512


class TimedLock:
    """A mutex that knows how long its takers have waited for it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.waited_ns = 0
        """Written by holders only."""
        self.contended = 0

    def __enter__(self) -> None:
        if self._lock.acquire(blocking=False):
            return
        begin = time.monotonic_ns()
        self._lock.acquire()
        self.waited_ns += time.monotonic_ns() - begin
        self.contended += 1

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Course:
    """The longest a queue has been in each stretch of time. Stretches double in length when there are too many."""

    def __init__(self, stretch_ns: int = 10_000_000) -> None:
        self._begin = time.monotonic_ns()
        self.stretch_ns = stretch_ns
        self._longest: list[int] = []

    def note(self, length: int, now: int) -> None:
        """The queue has `length` items now."""
        index = (now - self._begin) // self.stretch_ns
        while index >= _COURSE_SLOTS:
            pairs = zip(self._longest[::2], [*self._longest[1::2], 0], strict=False)
            self._longest = [max(pair) for pair in pairs]
            self.stretch_ns *= 2
            index //= 2
        last = self._longest[-1] if self._longest else 0
        while len(self._longest) <= index:
            self._longest.append(last)
        self._longest[index] = max(self._longest[index], length)

    def points(self) -> list[int]:
        """One length a stretch, from the start."""
        return list(self._longest)


class BoundedQueue(Generic[Item]):
    """First in, first out. Every method takes the lock."""

    def __init__(self, limit: int, low_mark: int) -> None:
        self._items: deque[Item] = deque()
        self._limit = limit
        self._low_mark = low_mark
        self._wants_room = False
        self.lock = TimedLock()
        self.longest = 0
        self.course = Course()

    def room(self) -> int:
        """How many more it takes."""
        with self.lock:
            return self._limit - len(self._items)

    def put(self, item: Item, over_limit: bool = False) -> bool:
        """Appends; False when it is full (never with `over_limit`)."""
        with self.lock:
            length = len(self._items)
            if length >= self._limit and not over_limit:
                return False
            self._items.append(item)
            length += 1
            if length > self.longest:
                self.longest = length
            self.course.note(length, time.monotonic_ns())
            return True

    def get(self) -> tuple[Item | None, bool]:
        """The oldest item, or None; and whether this has brought it down to the low mark that somebody waits for."""
        return self._take(from_tail=False)

    def steal(self) -> tuple[Item | None, bool]:
        """As `get`, from the other end."""
        return self._take(from_tail=True)

    def _take(self, from_tail: bool) -> tuple[Item | None, bool]:
        with self.lock:
            if not self._items:
                return None, False
            item = self._items.pop() if from_tail else self._items.popleft()
            length = len(self._items)
            self.course.note(length, time.monotonic_ns())
            has_room = self._wants_room and length <= self._low_mark
            if has_room:
                self._wants_room = False
            return item, has_room

    def wait_for_room(self) -> bool:
        """From now on a `get` that reaches the low mark says so, once. False: it is that low already."""
        with self.lock:
            if len(self._items) <= self._low_mark:
                return False
            self._wants_room = True
            return True

    def __len__(self) -> int:
        return len(self._items)
