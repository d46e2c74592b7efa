"""How long epoll_wait waits: 0, negative, huge, and by which clock.

What it does        Waits with a timeout of 0, with several negative ones, with the largest, and looks at the timer
                    that the kernel sets for it.
Why it bites        -1 is the documented "for ever", but every negative number is: a remaining time that was computed
                    a little late becomes an endless wait. The largest timeout, 24.8 days, once was taken for endless
                    too (before 2.6.37, on 32-bit machines for all above 35 minutes).
What you will see   0 returns at once; -1, -2 and INT_MIN return only for an event; INT_MAX sets a timer 24.8 days
                    ahead on CLOCK_MONOTONIC, so that setting the wall clock neither shortens nor lengthens it.
References          epoll_wait(2), BUGS; proc_timer_list(5); LTP epoll_wait04
"""

import resource
import time

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.kernel_timers import clock_of_timer_due
from toolkit.primitives.epoll import Epoll, Event

_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_MS = 1_000_000


def _timed(epoll: Epoll) -> tuple[list[Event], int]:
    started = time.monotonic_ns()
    return epoll.wait(timeout_ms=5), time.monotonic_ns() - started


def timeouts(lab: Lab) -> None:
    """No wait, endless waits, a very long one."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN)
    slept = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    nothing = [epoll.wait(timeout_ms=0) for _ in range(3)]
    slept = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - slept
    lab.must(
        "epoll-wait-timeout-zero-immediate",
        expected=[[[], [], []], "asleep in fewer than 3 of 3 calls"],
        observed=[nothing, f"asleep in {slept} of 3 calls"],
        holds=nothing == [[], [], []] and slept < len(nothing),
        reason="a thread that waits gives up its processor (ru_nvcsw)",
    )
    expired, lasted = zip(*(_timed(epoll) for _ in range(4)), strict=True)
    lab.must(
        "epoll-wait-never-returns-before-its-timeout",
        expected="nothing, after 5 ms or more, four times",
        observed=[expired, f"{min(lasted) / _MS:.1f} ms at least"],
        holds=not any(expired) and min(lasted) >= 5 * _MS,
    )
    for timeout in (-1, -2, _INT_MIN):
        waiter = lab.asleep(epoll.wait, 1, timeout)
        eventfd.write(1)
        lab.must(
            "epoll-wait-timeout-any-negative-infinite",
            expected=[(eventfd.fileno(), int(EPOLLIN))],
            observed=waiter.result(),
            reason=f"timeout {timeout}: asleep until the write",
        )
        eventfd.read()
    due = time.monotonic_ns() + _INT_MAX * _MS
    waiter = lab.asleep(epoll.wait, 1, _INT_MAX)
    clock = clock_of_timer_due(due, time.monotonic_ns() + _INT_MAX * _MS)
    eventfd.write(1)
    woken = waiter.result()
    for claim, text in (
        ("epoll-wait-large-timeout-not-infinite", "a timer is set for the end of it"),
        ("epoll-timeout-unaffected-by-realtime-clock", "the timer runs on CLOCK_MONOTONIC"),
    ):
        if clock is None:
            lab.skip(claim, "/proc/timer_list cannot be read here")
        else:
            lab.must(
                claim,
                expected=["CLOCK_MONOTONIC", [(eventfd.fileno(), int(EPOLLIN))]],
                observed=[clock, woken],
                reason=text,
            )


CASE = Case(
    variants=(timeouts,),
    claims=(
        Claim(
            "epoll-wait-timeout-zero-immediate",
            "A timeout of 0 returns at once when nothing is ready.",
            "epoll_wait(2); LTP epoll_wait04",
        ),
        Claim(
            "epoll-wait-never-returns-before-its-timeout",
            "With nothing ready, epoll_wait lasts at least as long as its timeout.",
            "epoll_wait(2)",
        ),
        Claim(
            "epoll-wait-timeout-any-negative-infinite",
            "Every negative timeout waits without end, not only -1.",
            "epoll_wait(2); observed",
        ),
        Claim(
            "epoll-wait-large-timeout-not-infinite",
            "The largest timeout, INT_MAX ms, ends: a timer is set for it.",
            "epoll_wait(2) BUGS",
            since="2.6.37",
        ),
        Claim(
            "epoll-timeout-unaffected-by-realtime-clock",
            "The timeout is measured by CLOCK_MONOTONIC, so setting the wall clock does not change it.",
            "epoll_wait(2)",
        ),
    ),
)
