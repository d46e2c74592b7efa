"""A timerfd that is not read stays readable, and counts.

What it does        Arms a timer of a millisecond and does not read it; then a periodic one, and reads it late.
Why it bites        The event of a timerfd is a counter, as an eventfd's: until it is read the descriptor is ready,
                    and a loop that only notes the event spins. Read late, it gives the number of expirations, so
                    code that counts events instead of reading loses ticks whenever it is held up.
What you will see   naive: ten waits, ten reports of one expiration. right: one read, and the wait is silent; after
                    several periods one read returns them all; disarming takes back what was not read.
References          timerfd_create(2) read(2); epoll(7); chriskohlhoff/asio#145; apple/swift-nio#1337
"""

import sys

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until

_LOOKS = 10
_SOON_NS = 1_000_000


def naive(lab: Lab) -> None:
    """Noted, not read."""
    epoll, timer = lab.epoll(), lab.timerfd()
    lab.add(epoll, timer, EPOLLIN)
    lab.arm_timerfd(timer, _SOON_NS)
    first = lab.told(epoll, 5.0)
    seen = [lab.told(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epoll-timerfd-unread-spins",
        expected=[[timer], _LOOKS],
        observed=[first, seen.count([timer])],
    )


def right(lab: Lab) -> None:
    """Read, and believe the number."""
    epoll, timer = lab.epoll(), lab.timerfd()
    lab.add(epoll, timer, EPOLLIN)
    lab.arm_timerfd(timer, _SOON_NS)
    first = lab.told(epoll, 5.0)
    lab.must(
        "epoll-timerfd-read-ends-the-report",
        expected=[[timer], 1, []],
        observed=[first, _expirations(lab, timer), lab.told(epoll)],
    )
    lab.arm_timerfd(timer, _SOON_NS, _SOON_NS)
    ahead = lab.timerfd()
    lab.arm_timerfd(ahead, 4 * _SOON_NS)
    until(lambda: bool(lab.poll(ahead)), "four periods have passed")
    read = _expirations(lab, timer)
    lab.must(
        "epoll-timerfd-counts-expirations",
        expected="3 or more",
        observed=read,
        holds=read >= 3,
        reason="one read after four periods",
    )
    until(lambda: bool(lab.poll(timer)), "another period has passed")
    lab.arm_timerfd(timer, 0)
    lab.must("epoll-timerfd-disarm-takes-back", expected=[], observed=lab.told(epoll))


def _expirations(lab: Lab, timer: int) -> int:
    return int.from_bytes(lab.read(timer, 8), sys.byteorder)


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-timerfd-unread-spins",
            "A timerfd that expired and was not read is reported by every wait.",
            "timerfd_create(2) poll(2)",
        ),
        Claim(
            "epoll-timerfd-read-ends-the-report",
            "Reading the number of expirations ends the reports.",
            "timerfd_create(2) read(2)",
        ),
        Claim(
            "epoll-timerfd-counts-expirations",
            "A read returns how often the timer expired since the last one.",
            "timerfd_create(2) read(2)",
        ),
        Claim(
            "epoll-timerfd-disarm-takes-back",
            "Setting the timer anew takes back an expiration that was not read.",
            "timerfd_create(2) timerfd_settime(); fs/timerfd.c",
        ),
    ),
    needs=("timerfd",),
)
