"""The first send() to a peer that has gone succeeds; the second one fails.

What it does        The peer closes its end of a TCP connection; we send twice. Once the peer closes in order, once
                    with our data unread.
Why it bites        close() by the peer says that it sends no more, not that it reads no more: the first send() is
                    accepted and answered with a reset. Only the next send() learns of it. So "send() returned 5"
                    proves nothing, and the error comes at another call than the one that lost the data. Where the
                    peer closed over unread data the reset is there already, and the first send() fails with
                    ECONNRESET.
What you will see   5, then EPIPE, and EPOLLIN|EPOLLRDHUP before either: the event was there to be read. With the
                    reset first: ECONNRESET, then EPIPE.
References          send(2) EPIPE, ECONNRESET; tcp(7); close(2)
"""

import socket

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab

_END = EPOLLIN | EPOLLRDHUP


def send(lab: Lab) -> None:
    """An orderly end, and a reset."""
    epoll, (client, server) = lab.epoll(), lab.tcp_pair()
    lab.add(epoll, server, EPOLLIN | EPOLLRDHUP)
    lab.close(client)
    event = lab.until(epoll, _END)
    first = lab.attempt(lab.send, server, b"hello", socket.MSG_NOSIGNAL)
    lab.until(epoll, EPOLLERR | EPOLLHUP)
    second = lab.attempt(lab.send, server, b"hello", socket.MSG_NOSIGNAL)
    lab.must(
        "tcp-first-send-after-peer-close-succeeds",
        expected=[_END, 5],
        observed=[event, first],
        reason="the event before it, and what send() returned",
    )
    lab.must("tcp-second-send-after-peer-close-epipe", expected="EPIPE", observed=second)
    lab.remove(epoll, server)

    client, server = lab.tcp_pair()
    lab.add(epoll, server, EPOLLIN | EPOLLRDHUP)
    lab.send(server, b"never read")
    lab.poll(client, EPOLLIN, within=1.0)
    lab.close(client)
    lab.until(epoll, EPOLLERR | EPOLLHUP)
    lab.must(
        "tcp-send-after-reset-econnreset-then-epipe",
        expected=["ECONNRESET", "EPIPE"],
        observed=[lab.attempt(lab.send, server, b"hello", socket.MSG_NOSIGNAL) for _ in range(2)],
    )


CASE = Case(
    variants=(send,),
    claims=(
        Claim(
            "tcp-first-send-after-peer-close-succeeds",
            "The first send() after the peer's orderly close() succeeds, though nobody will read it.",
            "tcp(7); send(2)",
        ),
        Claim(
            "tcp-second-send-after-peer-close-epipe",
            "Once the reset for it has come, the next send() is EPIPE (with SIGPIPE, unless MSG_NOSIGNAL).",
            "send(2) EPIPE",
        ),
        Claim(
            "tcp-send-after-reset-econnreset-then-epipe",
            "A peer that closes over unread data resets: the first send() is ECONNRESET, the next EPIPE.",
            "send(2) ECONNRESET, EPIPE; close(2)",
        ),
    ),
)
