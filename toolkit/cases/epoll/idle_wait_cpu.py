"""Waiting costs nothing: no processor time while epoll_wait sleeps.

What it does        Waits with a timeout, again and again, on an epoll where nothing happens, and compares the
                    processor time used with the time that passed.
Why it bites        A stable-kernel regression (6.14.4 to 6.14.7 or so) made a wait with a timeout burn a whole core
                    in the kernel, at random. Programs looked guilty: netdata moved from epoll to poll and back
                    again.
What you will see   A small share; near 100 % is the regression.
References          epoll_wait(2); netdata/netdata#20273 and #20337; haproxy/haproxy#2984
"""

import time

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_WAITS = 3
_WAIT_S = 0.05
"""Many clock ticks: where processor time is counted in ticks (10 ms with HZ=100), each wake-up may be charged one."""
_MOST = 0.3


def idle(lab: Lab) -> None:
    """Several waits, one ratio."""
    epoll = lab.epoll()
    lab.add(epoll, lab.eventfd(), EPOLLIN)
    wall, processor = time.monotonic(), time.process_time()
    events = [lab.wait(epoll, _WAIT_S) for _ in range(_WAITS)]
    share = (time.process_time() - processor) / (time.monotonic() - wall)
    lab.must(
        "epoll-idle-wait-uses-no-cpu",
        expected=["no events", f"below {_MOST:.0%}"],
        observed=[events if any(events) else "no events", f"{share:.1%}"],
        holds=not any(events) and share < _MOST,
        reason="processor time over time passed",
    )


CASE = Case(
    variants=(idle,),
    claims=(
        Claim(
            "epoll-idle-wait-uses-no-cpu",
            "A wait with a timeout in which nothing happens uses no processor time to speak of.",
            "epoll_wait(2); netdata/netdata#20273 (Linux 6.14.4 to 6.14.7)",
        ),
    ),
)
