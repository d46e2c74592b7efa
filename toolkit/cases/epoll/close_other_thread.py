"""close() in one thread does not wake the thread that waits for that descriptor.

What it does        A thread blocks in epoll_wait on a socket; another thread closes the socket.
Why it bites        The last close drops the entry from the interest list and that is all: no event, no error. The
                    waiter sleeps on, until its timeout or for ever, and "stop()" that closes and joins hangs. The
                    event that a program waits for to clean up after its own close never comes.
What you will see   naive: the waiter sleeps on after close(), and returns only for an unrelated event; with a
                    timeout it returns nothing at all. right: shutdown() wakes it at once with EPOLLIN|EPOLLHUP, or
                    an eventfd in the same epoll carries the news.
References          epoll(7) Q7; shutdown(2); pocoproject/poco#5406 and #3985; socketry/io-event#71;
                    romange/helio#475; dragonflydb/dragonfly#5950; rust-lang/miri#5203
"""

import socket

from toolkit.ffi.flags import EPOLLHUP, EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """close(), and hope."""
    epoll, wake, (ours, _theirs) = lab.epoll(), lab.eventfd(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    lab.add(epoll, wake, EPOLLIN)
    waiter = lab.asleep(lab.told, epoll, None)
    lab.close(ours)
    wake.write(1)
    lab.must(
        "epoll-close-monitored-fd-does-not-wake-waiter",
        expected=[wake.fileno()],
        observed=waiter.result(),
        reason="what the waiter returned: the other event only",
    )
    another, _its_peer = lab.socketpair()
    lab.add(epoll, another, EPOLLIN | EPOLLRDHUP)
    wake.read()
    patient = lab.asleep(lab.told, epoll, 0.01)
    lab.close(another)
    lab.must(
        "epoll-close-monitored-fd-does-not-wake-waiter",
        expected=[],
        observed=patient.result(),
        reason="with a timeout of 10 ms",
    )


def right(lab: Lab) -> None:
    """shutdown() first: that is an event. Or a wake-up of our own."""
    epoll, wake, (ours, _theirs) = lab.epoll(), lab.eventfd(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    lab.add(epoll, wake, EPOLLIN)
    waiter = lab.asleep(lab.wait, epoll, None)
    lab.shutdown(ours, socket.SHUT_RDWR)
    lab.must(
        "epoll-shutdown-wakes-waiter",
        expected=[(ours, EPOLLIN | EPOLLRDHUP | EPOLLHUP)],
        observed=waiter.result(),
    )
    lab.close(ours)
    waiter = lab.asleep(lab.told, epoll, None)
    wake.write(1)
    lab.must("epoll-eventfd-wakes-waiter", expected=[wake.fileno()], observed=waiter.result())


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-close-monitored-fd-does-not-wake-waiter",
            "close() of a monitored descriptor wakes nobody: a blocked waiter goes on waiting, and gets no "
            "error.",
            "epoll(7) Q7; observed",
        ),
        Claim(
            "epoll-shutdown-wakes-waiter",
            "shutdown(SHUT_RDWR) of a monitored socket wakes a blocked waiter with EPOLLHUP.",
            "shutdown(2); epoll_ctl(2) EPOLLHUP",
        ),
        Claim(
            "epoll-eventfd-wakes-waiter",
            "A write to an eventfd in the interest list wakes a blocked waiter.",
            "eventfd(2) NOTES",
        ),
    ),
)
