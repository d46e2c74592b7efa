"""What counts as an edge, beyond "data came": the small print of EPOLLET.

What it does        Looks at edge-triggered entries at the moments between arrivals: at registration, when somebody
                    else took the data, when room appears in a full pipe, in a semaphore eventfd, in an outer epoll.
Why it bites        An edge is not kept like a message. At the wait the kernel asks the descriptor again, so an edge
                    whose data is gone by then is not reported; and what is reported is the whole present state, not
                    the bit that changed. Reading from a semaphore eventfd is no edge for other readers.
What you will see   ADD of something ready is an edge. A drained one is not reported. EPOLLOUT returns once a full
                    pipe was drained, not at the first byte taken. Data coming in reports EPOLLIN|EPOLLOUT.
References          epoll(7) "Level-triggered and edge-triggered", Q9; LTP epoll_wait06; fs/eventpoll.c
                    ep_send_events
"""

import os

from toolkit.ffi.flags import EFD_CLOEXEC, EFD_NONBLOCK, EFD_SEMAPHORE, EPOLLET, EPOLLIN, EPOLLOUT
from toolkit.ffi.raw import PAGE
from toolkit.lab import Case, Claim, Lab


def edges(lab: Lab) -> None:
    """One moment after the other."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe(os.O_CLOEXEC | os.O_NONBLOCK)
    lab.write(writer, b"x")
    lab.add(epoll, reader, EPOLLIN | EPOLLET)
    lab.must(
        "epoll-et-add-with-data-pending-fires",
        expected=[[reader], []],
        observed=[lab.told(epoll), lab.told(epoll)],
    )
    lab.write(writer, b"y")
    lab.drain(reader)
    lab.must("epoll-et-drained-before-wait-no-event", expected=[], observed=lab.told(epoll))
    _room_in_a_pipe(lab)
    _both_directions(lab)
    _semaphore(lab)
    _outer(lab)


def _room_in_a_pipe(lab: Lab) -> None:
    epoll, (reader, writer) = lab.epoll(), lab.pipe(os.O_CLOEXEC | os.O_NONBLOCK)
    lab.shrink_pipe(writer)
    lab.add(epoll, writer, EPOLLOUT | EPOLLET)
    at_first = lab.told(epoll)
    held = lab.fill(writer)
    lab.read(reader, held // 2)
    half = lab.told(epoll)
    lab.drain(reader)
    lab.must(
        "epoll-et-out-edge-after-full-then-drained",
        expected=[PAGE, [writer], [], [writer]],
        observed=[held, at_first, half, lab.told(epoll)],
        reason="bytes in a pipe of one page; at first, half-drained, drained",
    )


def _both_directions(lab: Lab) -> None:
    epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLOUT | EPOLLET)
    at_first = lab.ready(epoll)
    lab.send(theirs, b"x")
    lab.must(
        "epoll-et-in-out-edge-reports-current-both",
        expected=[[(ours, EPOLLOUT)], [(ours, EPOLLIN | EPOLLOUT)]],
        observed=[at_first, lab.ready(epoll)],
    )


def _semaphore(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd(2, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)
    lab.add(epoll, eventfd, EPOLLIN | EPOLLET)
    at_first = lab.ready_count(epoll)
    lab.must(
        "epoll-et-eventfd-semaphore-read-no-in-edge",
        expected=[1, 1, 0, "EPOLLIN"],
        observed=[at_first, eventfd.read(), lab.ready_count(epoll), lab.poll(eventfd)],
        reason="first event; one unit read; events after it; what poll(2) says",
    )


def _outer(lab: Lab) -> None:
    inner, outer = lab.epoll(), lab.epoll()
    one, two = lab.eventfd(), lab.eventfd()
    for eventfd in (one, two):
        lab.add(inner, eventfd, EPOLLIN)
    lab.add(outer, inner, EPOLLIN | EPOLLET)
    one.write(1)
    first = lab.ready_count(outer)
    idle = lab.ready_count(outer)
    two.write(1)
    lab.must(
        "epoll-nested-et-outer-not-retriggered-by-second-fd-write-until-wakeup",
        expected=[1, 0, 1],
        observed=[first, idle, lab.ready_count(outer)],
        reason="outer edge for one inner descriptor; none while it stays readable; one for the second",
    )


CASE = Case(
    variants=(edges,),
    claims=(
        Claim(
            "epoll-et-add-with-data-pending-fires",
            "Edge-triggered: what is ready at ADD is reported by the first wait, once.",
            "observed; fs/eventpoll.c ep_insert",
        ),
        Claim(
            "epoll-et-drained-before-wait-no-event",
            "Edge-triggered: an edge whose data was taken before the wait is not reported.",
            "observed; fs/eventpoll.c ep_send_events",
        ),
        Claim(
            "epoll-et-out-edge-after-full-then-drained",
            "Edge-triggered EPOLLOUT of a full one-page pipe comes when it is drained, not when half is "
            "read.",
            "LTP epoll_wait06",
        ),
        Claim(
            "epoll-et-in-out-edge-reports-current-both",
            "Edge-triggered: an edge reports the whole present state, not only the bit that changed.",
            "epoll(7) Suggested usage; fs/eventpoll.c ep_send_events",
        ),
        Claim(
            "epoll-et-eventfd-semaphore-read-no-in-edge",
            "Edge-triggered: reading one unit of a semaphore eventfd is no new event for what is left.",
            "observed; fs/eventfd.c eventfd_read",
            since="2.6.30",
        ),
        Claim(
            "epoll-nested-et-outer-not-retriggered-by-second-fd-write-until-wakeup",
            "An outer edge-triggered epoll reports its inner one again when a second inner descriptor "
            "becomes ready.",
            "observed; fs/eventpoll.c ep_poll_callback",
        ),
    ),
)
