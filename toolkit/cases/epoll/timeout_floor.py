"""A remaining time cut down to milliseconds becomes 0, and the loop spins until the timer is due.

What it does        Waits for a deadline just below six milliseconds away: with the remaining time cut to whole
                    milliseconds, with it rounded up, and with epoll_pwait2, which takes nanoseconds.
Why it bites        epoll_wait counts in milliseconds. In the last one before the deadline the remainder is 0.9 ms,
                    cut to 0, and a timeout of 0 does not wait: the loop goes round hundreds of times before each
                    timer. Adding 1 ms to everything is no remedy, it makes a poll out of "do not wait".
What you will see   naive: tens to hundreds of calls for one deadline. right: rounding up needs one call, and so does
                    epoll_pwait2; neither returns before the deadline.
References          epoll_wait(2); python/asyncio#106; tokio-rs/mio#1614 and #1615; Smithay/calloop#142
"""

import math
import time
from collections.abc import Callable

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_AHEAD_NS = 5_990_000
_ATTEMPTS = 200
_SPINS = 10


def _calls_until_deadline(wait: Callable[[int], object]) -> int:
    """How many waits a deadline just below 6 ms away takes; each is told how many nanoseconds remain."""
    deadline_ns = time.monotonic_ns() + _AHEAD_NS
    calls, left = 0, _AHEAD_NS
    while left > 0:
        wait(left)
        calls += 1
        left = deadline_ns - time.monotonic_ns()
    return calls


def naive(lab: Lab) -> None:
    """int(milliseconds)."""
    epoll = lab.epoll()
    lab.add(epoll, lab.eventfd(), EPOLLIN)
    seen = []
    for _ in range(_ATTEMPTS):
        seen.append(_calls_until_deadline(lambda left: epoll.wait(timeout_ms=left // 1_000_000)))
        if seen[-1] >= _SPINS:
            break
    lab.must(
        "epoll-timeout-rounded-down-spins",
        expected=f"at least {_SPINS} calls for one deadline",
        observed=max(seen),
        holds=max(seen) >= _SPINS,
        reason=f"tried {len(seen)} times: on a busy machine the last millisecond may pass in one go",
    )


def right(lab: Lab) -> None:
    """ceil(milliseconds), or nanoseconds."""
    epoll = lab.epoll()
    lab.add(epoll, lab.eventfd(), EPOLLIN)
    ways: dict[str, tuple[str, Callable[[int], object]]] = {
        "rounded up": (
            "epoll-timeout-rounded-up-waits-once",
            lambda left: epoll.wait(timeout_ms=math.ceil(left / 1_000_000)),
        ),
        "epoll_pwait2": (
            "epoll-pwait2-nanoseconds-wait-once",
            lambda left: lab.pwait2(epoll, left),
        ),
    }
    for way, (claim, wait) in ways.items():
        if way == "epoll_pwait2" and lab.outcome(lab.pwait2, epoll, 0) == "ENOSYS":
            lab.skip(claim, "epoll_pwait2 is not in this kernel (before 5.11)")
            continue
        lab.must(claim, expected=1, observed=_calls_until_deadline(wait))


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-timeout-rounded-down-spins",
            "Cut to whole milliseconds, the remaining time becomes 0 before the deadline, and the loop "
            "spins.",
            "epoll_wait(2)",
        ),
        Claim(
            "epoll-timeout-rounded-up-waits-once",
            "Rounded up, one epoll_wait lasts until the deadline: it never returns before its timeout.",
            "epoll_wait(2)",
        ),
        Claim(
            "epoll-pwait2-nanoseconds-wait-once",
            "One epoll_pwait2 with the remaining nanoseconds lasts until the deadline.",
            "epoll_wait(2) epoll_pwait2()",
            since="5.11",
        ),
    ),
)
