"""Reading and adding with a time limit, without touching O_NONBLOCK, which belongs to every holder of the file."""

import select
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from signal import ITIMER_REAL, SIGALRM, setitimer, signal
from typing import TYPE_CHECKING, TypeVar

from toolkit.cli.refusal import refuse
from toolkit.exits import Exit
from toolkit.watch.deadline import Deadline

if TYPE_CHECKING:
    from toolkit.primitives.epoll import Epoll

Result = TypeVar("Result")
_AGAIN_S = 0.02


def when_ready(
    fd: int, events: int, attempt: Callable[[], Result], timeout_ns: int | None, waited_for: str
) -> Result:
    """Polls `fd` for `events` (POLLIN, POLLOUT), then makes `attempt`, and again while there is time.

    Ready is no promise: another holder can be faster, and POLLOUT only says that there is room for 1. Then the attempt
    fails with EAGAIN or, on a blocking file, blocks; the limit holds there too. Refuses with 124 when it passes.
    """
    deadline = Deadline(timeout_ns)
    poll = select.poll()
    poll.register(fd, events)
    with _interruptions(timeout_ns), ExitStack() as stack:
        changes: Epoll | None = None
        while poll.poll(deadline.left_ms):
            with suppress(InterruptedError):
                try:
                    return attempt()
                except BlockingIOError:
                    changes = changes or stack.enter_context(_changes_of(fd))
                    changes.wait_one(deadline.left_ms)
            if deadline.passed:
                break
    return refuse(f"gave up after {(timeout_ns or 0) / 1e9:g}s: {waited_for}", Exit.TIMEOUT)


def _changes_of(fd: int) -> "Epoll":
    """Tells of every read and write by another holder: level-triggered waiting would spin on "room for 1".

    The first wait returns at once, as after every registration, so that the attempt after it comes before the second.
    """
    from toolkit.ffi.flags import EPOLLET, EPOLLIN, EPOLLOUT
    from toolkit.primitives.epoll import Epoll

    epoll = Epoll()
    epoll.add(fd, EPOLLIN | EPOLLOUT | EPOLLET)
    return epoll


@contextmanager
def _interruptions(timeout_ns: int | None) -> Iterator[None]:
    """Has a blocked call fail with EINTR at the limit, and again: a signal just before the call would be missed."""
    if timeout_ns is None:
        yield
        return
    before = signal(SIGALRM, lambda _number, _frame: None)
    setitimer(ITIMER_REAL, max(timeout_ns / 1e9, 1e-6), _AGAIN_S)
    try:
        yield
    finally:
        setitimer(ITIMER_REAL, 0)
        signal(SIGALRM, before)
