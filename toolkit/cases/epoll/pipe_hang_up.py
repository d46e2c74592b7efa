"""How a pipe tells of its other end: EPOLLHUP to readers, EPOLLERR to writers.

What it does        Closes one end of a pipe, with and without unread data, and watches the other.
Why it bites        The two ends speak different words. A reader gets EPOLLHUP, together with EPOLLIN while there is
                    data: who closes on EPOLLHUP loses it. A writer gets EPOLLERR and never EPOLLHUP, with EPOLLOUT
                    if it asked, so "writable" is what a broken pipe looks like. Edge-triggered, the hang-up is told
                    once, and if it comes while older data is unread it comes with it.
What you will see   EPOLLIN|EPOLLHUP, then EPOLLHUP; EPOLLOUT|EPOLLERR; a writer asleep on a full pipe woken with
                    EPOLLERR.
References          pipe(7); epoll_ctl(2) EPOLLERR, EPOLLHUP; LTP epoll_wait12
"""

import os

from toolkit.ffi.flags import EPOLLERR, EPOLLET, EPOLLHUP, EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab


def hang_up(lab: Lab) -> None:
    """Readers, writers, edges."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN)
    lab.write(writer, b"unread")
    lab.close(writer)
    with_data = lab.ready(epoll)
    data = lab.read(reader)
    lab.must(
        "epoll-pipe-read-hup-with-data",
        expected=[[(reader, EPOLLIN | EPOLLHUP)], b"unread", [(reader, EPOLLHUP)]],
        observed=[with_data, data, lab.ready(epoll)],
    )
    lab.close(reader)

    reader, writer = lab.pipe(os.O_CLOEXEC | os.O_NONBLOCK)
    lab.add(epoll, writer, 0)
    lab.close(reader)
    unasked = lab.ready(epoll)
    lab.modify(epoll, writer, EPOLLOUT)
    lab.must(
        "epoll-pipe-write-err-on-reader-close",
        expected=[[(writer, EPOLLERR)], [(writer, EPOLLOUT | EPOLLERR)]],
        observed=[unasked, lab.ready(epoll)],
        reason="with mask 0, then EPOLLOUT",
    )
    lab.close(writer)

    reader, writer = lab.pipe(os.O_CLOEXEC | os.O_NONBLOCK)
    lab.fill(writer)
    lab.add(epoll, writer, EPOLLOUT)
    waiter = lab.asleep(lab.wait, epoll, 5.0)
    lab.close(reader)
    woken = waiter.result()
    lab.must(
        "epoll-pipe-full-write-end-wakes-err",
        expected="EPOLLERR",
        observed=woken,
        holds=len(woken) == 1 and woken[0][0] == writer and bool(woken[0][1] & EPOLLERR),
    )
    lab.close(writer)

    reader, writer = lab.pipe()
    lab.add(epoll, reader, EPOLLIN | EPOLLET)
    lab.write(writer, b"unread")
    edge = lab.ready(epoll)
    lab.close(writer)
    lab.must(
        "epoll-et-hup-delivered-after-data-edge",
        expected=[[(reader, EPOLLIN)], [(reader, EPOLLIN | EPOLLHUP)]],
        observed=[edge, lab.ready(epoll)],
    )
    lab.must("epoll-et-hup-reported-once", expected=[], observed=lab.ready(epoll))


CASE = Case(
    variants=(hang_up,),
    claims=(
        Claim(
            "epoll-pipe-read-hup-with-data",
            "A pipe with unread data whose writer closed is EPOLLIN|EPOLLHUP until drained, then EPOLLHUP.",
            "epoll_ctl(2) EPOLLHUP",
        ),
        Claim(
            "epoll-pipe-write-err-on-reader-close",
            "The writing end of a pipe without readers is EPOLLERR, with EPOLLOUT when asked, never "
            "EPOLLHUP.",
            "epoll_ctl(2) EPOLLERR; LTP epoll_wait12",
        ),
        Claim(
            "epoll-pipe-full-write-end-wakes-err",
            "A waiter for room in a full pipe is woken with EPOLLERR when the last reader closes.",
            "epoll_ctl(2) EPOLLERR; LTP epoll_wait12",
        ),
        Claim(
            "epoll-et-hup-delivered-after-data-edge",
            "Edge-triggered: a hang-up after unread data is a second event, EPOLLIN|EPOLLHUP.",
            "epoll(7) Level-triggered and edge-triggered",
        ),
        Claim(
            "epoll-et-hup-reported-once",
            "Edge-triggered: a hang-up is reported once, not on every wait.",
            "epoll(7) Level-triggered and edge-triggered",
        ),
    ),
)
