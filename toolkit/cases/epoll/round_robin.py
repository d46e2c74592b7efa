"""More is ready than maxevents holds: the rest is not lost, and nobody starves.

What it does        Makes six descriptors ready and waits with room for one event, again and again; the same with
                    room for three of thirteen, and edge-triggered.
Why it bites        "The first in the list always wins" is the fear, and what some emulations did. The kernel puts an
                    entry that stays ready at the end of its queue, so successive waits go round all of them; and an
                    edge that found no room stays queued for the next wait.
What you will see   Twelve waits report 0..5 and again 0..5. Thirteen by three: 3, 3, 3, 3, 1, each once. Five edges
                    by two: 2, 2, 1, 0. They come in the order in which they became ready.
References          epoll_wait(2) NOTES; gramineproject/gramine#340; ClusterLabs/libqb#121; valkey-io/valkey#3927
"""

from itertools import chain

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EventFd


def rounds(lab: Lab) -> None:
    """Three loops with too little room, and an order."""
    epoll = lab.epoll()
    for number in range(6):
        lab.add(epoll, lab.eventfd(initial=1), EPOLLIN, data=number)
    turns = [lab.told(epoll, maxevents=1) for _ in range(12)]
    lab.must(
        "epoll-lt-round-robin",
        expected=[sorted(range(6)), sorted(range(6))],
        observed=[sorted(chain.from_iterable(turns[:6])), sorted(chain.from_iterable(turns[6:]))],
        reason="the first six waits, the next six",
    )
    lab.must("epoll-lt-round-robin-same-order", expected=turns[:6], observed=turns[6:])

    epoll, eventfds = lab.epoll(), [lab.eventfd(initial=1) for _ in range(13)]
    _register(lab, epoll, eventfds, EPOLLIN)
    sizes, drained = [], []
    while found := lab.told(epoll, maxevents=3):
        sizes.append(len(found))
        for number in found:
            eventfds[number].read()
            drained.append(number)
        if len(sizes) > len(eventfds):
            break
    lab.must(
        "epoll-wait-maxevents-caps-and-rest-follow",
        expected=[[3, 3, 3, 3, 1], list(range(13))],
        observed=[sizes, sorted(drained)],
    )

    epoll, eventfds = lab.epoll(), [lab.eventfd(initial=1) for _ in range(5)]
    _register(lab, epoll, eventfds, EPOLLIN | EPOLLET)
    edges = [lab.told(epoll, maxevents=2) for _ in range(4)]
    lab.must(
        "epoll-et-maxevents-remainder-not-lost",
        expected=[[2, 2, 1, 0], list(range(5))],
        observed=[[len(found) for found in edges], sorted(chain.from_iterable(edges))],
    )

    epoll, eventfds = lab.epoll(), [lab.eventfd() for _ in range(3)]
    _register(lab, epoll, eventfds, EPOLLIN)
    for number in (2, 0, 1):
        eventfds[number].write(1)
    lab.record(
        "epoll-wait-order-is-readiness-order",
        lab.told(epoll),
        reason="registered as 0, 1, 2; made ready as 2, 0, 1",
    )


def _register(lab: Lab, epoll: Epoll, eventfds: list[EventFd], events: int) -> None:
    for number, eventfd in enumerate(eventfds):
        lab.add(epoll, eventfd, events, data=number)


CASE = Case(
    variants=(rounds,),
    claims=(
        Claim(
            "epoll-lt-round-robin",
            "With more ready than maxevents, successive waits go round the whole ready set.",
            "epoll_wait(2) NOTES",
        ),
        Claim(
            "epoll-lt-round-robin-same-order",
            "Level-triggered entries are queued again at the end, so the second round has the order of the "
            "first.",
            "fs/eventpoll.c ep_send_events",
        ),
        Claim(
            "epoll-wait-maxevents-caps-and-rest-follow",
            "No wait returns more than maxevents; what is left comes with the next ones, each once.",
            "epoll_wait(2) NOTES; LTP epoll_wait13",
        ),
        Claim(
            "epoll-et-maxevents-remainder-not-lost",
            "Edge-triggered events that found no room stay queued for the next wait.",
            "epoll_wait(2) NOTES",
        ),
        Claim(
            "epoll-wait-order-is-readiness-order",
            "In which order events are reported: that in which descriptors became ready, so far.",
            "observed; fs/eventpoll.c ep_poll_callback",
        ),
    ),
)
