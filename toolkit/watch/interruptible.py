"""Waiting that a signal handler can end, however early the signal comes."""

import signal
import time

from toolkit.primitives.epoll import Epoll, Event
from toolkit.primitives.signalfd import blocked

_ENDING = (signal.SIGINT, signal.SIGTERM)


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


def wait(epoll: Epoll, deadline: Deadline, maxevents: int = 64) -> list[Event]:
    """Waits for events; empty only when the deadline has passed.

    SIGINT and SIGTERM are blocked up to the wait and unblocked by it, atomically (epoll_pwait(2)): a signal that comes
    just before ends the wait as one that comes during it. Their handlers run before this returns, and may raise.
    """
    while True:
        with blocked(_ENDING) as before:
            try:
                events = epoll.pwait(before, maxevents, deadline.left_ms)
            except InterruptedError:
                continue
        if events or deadline.passed:
            return events
