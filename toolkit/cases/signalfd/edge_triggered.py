"""Edge-triggered, one record a wake-up leaves the others lying.

What it does        Queues three real-time signals under an edge-triggered epoll, and reads one record for the event.
Why it bites        Three signals before the wait are one edge. A handler that reads one record and waits again never
                    hears of the other two, until a fourth comes.
What you will see   naive: one event, one record, silence. right: read until EAGAIN, and all three are there.
References          epoll(7) Q10; signalfd(2); rcore-os/tgoskits#684
"""

import signal

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.signalfd import SignalFd

_NUMBER = signal.SIGRTMIN


def naive(lab: Lab) -> None:
    """One record an event."""
    epoll, fd = _three_queued(lab)
    seen = [lab.ready_count(epoll), len(lab.records(fd, 1)), lab.ready_count(epoll)]
    lab.must(
        "signalfd-et-epoll-one-record-per-edge-stalls",
        expected=[1, 1, 0, 2],
        observed=[*seen, len(lab.records(fd))],
        reason="events, records read, events after that, and records that were still there",
    )


def right(lab: Lab) -> None:
    """Until EAGAIN."""
    epoll, fd = _three_queued(lab)
    events = lab.ready_count(epoll)
    values: list[int] = []
    while records := lab.records(fd, 1):
        values += [record.ssi_int for record in records]
    lab.must("signalfd-et-drain-until-eagain", expected=[1, [0, 1, 2]], observed=[events, values])


def _three_queued(lab: Lab) -> tuple[Epoll, SignalFd]:
    lab.block(_NUMBER)
    epoll, fd = lab.epoll(), lab.signalfd(_NUMBER)
    lab.add(epoll, fd, EPOLLIN | EPOLLET)
    for value in range(3):
        lab.queue(_NUMBER, value)
    return epoll, fd


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-et-epoll-one-record-per-edge-stalls",
            "After one record of three is read, an edge-triggered epoll reports no more.",
            "epoll(7) Q10",
        ),
        Claim(
            "signalfd-et-drain-until-eagain",
            "Reading until EAGAIN gives all records of the edge.",
            "epoll(7) Q10",
        ),
    ),
)
