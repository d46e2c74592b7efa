"""A time limit, as waits take it."""

import time


class Deadline:
    """A point in time, or none."""

    def __init__(self, timeout_ns: int | None) -> None:
        """`timeout_ns` from now; None never comes."""
        self._end = None if timeout_ns is None else time.monotonic_ns() + timeout_ns

    @property
    def left_ms(self) -> int:
        """What is left, rounded up to milliseconds; -1 when there is no end, as epoll_wait(2) takes it."""
        return -1 if self._end is None else max(0, -(-(self._end - time.monotonic_ns()) // 1_000_000))

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        return self._end is not None and time.monotonic_ns() >= self._end
