"""Waiting that a signal handler can end, however early the signal comes."""

import signal

from toolkit.primitives.epoll import Epoll, Event
from toolkit.primitives.signalfd import blocked
from toolkit.watch.deadline import Deadline

_ENDING = (signal.SIGINT, signal.SIGTERM)


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
