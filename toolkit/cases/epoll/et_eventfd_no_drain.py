"""Edge-triggered eventfd: every write is an event, and nobody has to read.

What it does        Registers an eventfd with EPOLLET and writes to it five times, waiting after each write and never
                    reading; then the same with EPOLLIN alone.
Why it bites        Event loops use this to save a read for each wake-up. It rests on Linux waking pollers at each
                    write, not only at the step from 0 to something, and it fails where that is emulated (WSL 1,
                    Shadow, illumos). The other way round, a level-triggered registration that nobody reads never
                    lets the loop sleep again.
What you will see   naive: level-triggered and unread, ten waits report one write. right: edge-triggered, five writes
                    give five events and the sixth wait is silent, though the counter stands at 5; even a write of 0
                    to a counter above 0 is an event.
References          epoll(7) Level-triggered and edge-triggered; fs/eventfd.c eventfd_write; libuv/libuv#4400;
                    libevent/libevent#1619; netty/netty#9192; microsoft/WSL#2462; shadow/shadow#2673;
                    tokio-rs/mio#1826
"""

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab

_LOOKS = 10
_WRITES = 5


def naive(lab: Lab) -> None:
    """Level-triggered, and never read."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN)
    eventfd.write(1)
    seen = [lab.told(epoll) for _ in range(_LOOKS)]
    lab.must(
        "eventfd-lt-unread-spins",
        expected={"reported": _LOOKS},
        observed={"reported": seen.count([eventfd.fileno()])},
    )


def right(lab: Lab) -> None:
    """Edge-triggered, and never read."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN | EPOLLET)
    events = []
    for _ in range(_WRITES):
        eventfd.write(1)
        events.append(len(lab.told(epoll)))
    events.append(len(lab.told(epoll)))
    lab.must(
        "eventfd-et-every-write-is-an-edge",
        expected=[[1] * _WRITES + [0], _WRITES],
        observed=[events, eventfd.peek()],
        reason="events after each write and after none; the counter",
    )
    eventfd.write(0)
    again = lab.told(epoll)
    lab.must(
        "eventfd-et-write-zero-is-an-edge-if-nonzero",
        expected=[[eventfd.fileno()], []],
        observed=[again, lab.told(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "eventfd-et-every-write-is-an-edge",
            "An edge-triggered eventfd that is never read gives one event for each write.",
            "observed; fs/eventfd.c eventfd_write",
        ),
    ),
    also=("eventfd-lt-unread-spins", "eventfd-et-write-zero-is-an-edge-if-nonzero"),
)
