"""Acting on EPOLLRDHUP before reading loses the last data.

What it does        The peer sends its last message and shuts down its writing side.
Why it bites        EPOLLIN and EPOLLRDHUP come in one event: there is data, and after it the end. A handler that
                    asks "did the peer close?" first, and closes, throws away what the kernel holds for it: the last
                    packet of a transfer, or a whole early HTTP response.
What you will see   naive: the message is never read. right: read until end of file whatever the event says, then
                    close. EPOLLRDHUP comes only to those who ask for it, and a half-closed peer is no EPOLLHUP.
References          epoll_ctl(2) EPOLLRDHUP; shutdown(2); netty/netty#4317, #3709 and #4325; haproxy/haproxy#1863;
                    dmtcp/dmtcp#1205
"""

import socket

from toolkit.ffi.flags import EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab


def _with_a_last_message(lab: Lab) -> int:
    ours, theirs = lab.socketpair()
    lab.send(theirs, b"the last words")
    lab.shutdown(theirs, socket.SHUT_WR)
    return ours


def naive(lab: Lab) -> None:
    """EPOLLRDHUP means closed."""
    epoll, ours = lab.epoll(), _with_a_last_message(lab)
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    events = lab.ready(epoll)
    received = b""
    for fd, mask in events:
        if mask & EPOLLRDHUP:
            lab.remove(epoll, fd)
        elif mask & EPOLLIN:
            received += lab.recv_now(fd)
    lab.must(
        "epollrdhup-comes-with-the-last-data",
        expected=[(ours, EPOLLIN | EPOLLRDHUP)],
        observed=events,
    )
    lab.must(
        "epollrdhup-first-loses-data",
        expected=[b"", b"the last words"],
        observed=[received, lab.recv_now(ours)],
        reason="what the handler read; what it left in the socket",
    )


def right(lab: Lab) -> None:
    """Data first, end of file second."""
    epoll, ours = lab.epoll(), _with_a_last_message(lab)
    lab.set_nonblocking(ours)
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    received = b"".join(lab.drain(fd) for fd in lab.told(epoll))
    lab.must("epollrdhup-read-until-end-of-file", expected=b"the last words", observed=received)
    lab.modify(epoll, ours, EPOLLIN)
    unasked = lab.ready(epoll)
    lab.modify(epoll, ours, EPOLLIN | EPOLLRDHUP)
    lab.must(
        "epollrdhup-only-if-requested",
        expected=[[(ours, EPOLLIN)], [(ours, EPOLLIN | EPOLLRDHUP)]],
        observed=[unasked, lab.ready(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epollrdhup-comes-with-the-last-data",
            "When the peer sends and shuts down writing, EPOLLIN and EPOLLRDHUP are reported together.",
            "epoll_ctl(2) EPOLLRDHUP",
            since="2.6.17",
        ),
        Claim(
            "epollrdhup-first-loses-data",
            "A handler that closes on EPOLLRDHUP leaves readable data behind.",
            "epoll_ctl(2) EPOLLRDHUP",
            since="2.6.17",
        ),
        Claim(
            "epollrdhup-read-until-end-of-file",
            "Reading until end of file gets everything that was sent before the shutdown.",
            "shutdown(2)",
        ),
        Claim(
            "epollrdhup-only-if-requested",
            "EPOLLRDHUP is reported only when asked for, and a half-closed peer is no EPOLLHUP.",
            "epoll_ctl(2) EPOLLRDHUP",
            since="2.6.17",
        ),
    ),
)
