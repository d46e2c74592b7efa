"""A counter that nobody reads keeps a level-triggered loop running at full speed.

What it does        Registers an eventfd level-triggered, writes once, and waits two hundred times without reading it;
                    then with the read.
Why it bites        The wake-up was handled, the read was forgotten: one core at 100 %, no error anywhere.
What you will see   naive: every wait returns at once. right: one event, one read, silence. Edge-triggered, even a
                    write of 0 is one more event while the counter is above 0.
References          eventfd(2) poll(2); epoll(7) Level-triggered and edge-triggered; xapi-project/xenopsd#391;
                    Thomasdezeeuw/gaea#54
"""

from toolkit.ffi.flags import EFD_NONBLOCK, EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab

_WAITS = 200


def naive(lab: Lab) -> None:
    """The read is forgotten."""
    epoll, wakeup = lab.epoll(), lab.eventfd(0, EFD_NONBLOCK)
    lab.add(epoll, wakeup, EPOLLIN)
    wakeup.write(1)
    lab.must(
        "eventfd-lt-unread-spins",
        expected=_WAITS,
        observed=sum(lab.ready_count(epoll) for _ in range(_WAITS)),
        reason=f"events in {_WAITS} waits",
    )


def right(lab: Lab) -> None:
    """The read is the acknowledgement; or the edge is all that is wanted."""
    epoll, wakeup = lab.epoll(), lab.eventfd(0, EFD_NONBLOCK)
    lab.add(epoll, wakeup, EPOLLIN)
    wakeup.write(1)
    events = lab.ready_count(epoll)
    wakeup.read()
    lab.must("eventfd-read-ends-the-spin", expected=[1, 0], observed=[events, lab.ready_count(epoll)])

    edges, counter = lab.epoll(), lab.eventfd(1, EFD_NONBLOCK)
    lab.add(edges, counter, EPOLLIN | EPOLLET)
    seen = [lab.ready_count(edges), lab.ready_count(edges)]
    counter.write(0)
    lab.must(
        "eventfd-et-write-zero-is-an-edge-if-nonzero",
        expected=[1, 0, 1],
        observed=[*seen, lab.ready_count(edges)],
        reason="after registration, again, and after writing 0",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "eventfd-lt-unread-spins",
            "A level-triggered eventfd that is not read is reported by every wait.",
            "eventfd(2) poll(2)",
        ),
        Claim(
            "eventfd-read-ends-the-spin", "One read of the counter ends the reports.", "eventfd(2) read(2)"
        ),
        Claim(
            "eventfd-et-write-zero-is-an-edge-if-nonzero",
            "Edge-triggered, writing 0 to a counter above 0 is another event.",
            "fs/eventfd.c eventfd_write",
        ),
    ),
)
