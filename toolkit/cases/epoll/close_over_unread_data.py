"""close() over unread data sends a reset after the answer.

What it does        A server answers before it has read the whole request, and closes.
Why it bites        close() of a TCP socket whose receive buffer is not empty is a reset, not an end of file. The
                    client, which may still be sending, gets ECONNRESET instead of a clean end; what it does with the
                    answer that came before depends on its system: some throw it away. An early "413 too large" or a
                    "503" never reaches the user.
What you will see   naive: the client's socket reports EPOLLERR|EPOLLHUP, and after the answer, if it gets it,
                    ECONNRESET. right: shut down the writing side, read until the client's end, then close(): answer,
                    end of file.
References          close(2); shutdown(2); tcp(7); RFC 2525 2.17; RFC 9112 9.6; dotnet/runtime#57186;
                    scylladb/seastar#2983; google/gvisor#1449
"""

import socket

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll

_REQUEST = b"first half, second half"
_READ = 10
_ANSWER = b"413 too large"


def _half_read_request(lab: Lab) -> tuple[Epoll, int, int]:
    """An epoll that watches the client, the client, and the server that has read half of the request and answered."""
    epoll, (client, server) = lab.epoll(), lab.tcp_pair()
    lab.add(epoll, client, EPOLLIN | EPOLLRDHUP)
    lab.send(client, _REQUEST)
    lab.poll(server, EPOLLIN, within=1.0)
    lab.read(server, _READ)
    lab.send(server, _ANSWER)
    return epoll, client, server


def naive(lab: Lab) -> None:
    """Answer, close."""
    epoll, client, server = _half_read_request(lab)
    lab.close(server)
    event = lab.until(epoll, EPOLLERR | EPOLLHUP)
    got = lab.attempt(lab.recv_now, client)
    lab.record("tcp-answer-before-reset-may-be-lost", got, reason="what the client reads first")
    lab.must(
        "tcp-close-over-unread-data-resets",
        expected=[True, True],
        observed=[
            event & (EPOLLERR | EPOLLHUP) == EPOLLERR | EPOLLHUP,
            "ECONNRESET" in (got, lab.attempt(lab.recv_now, client)),
        ],
        reason="EPOLLERR|EPOLLHUP at the client; ECONNRESET from its recv()",
    )


def right(lab: Lab) -> None:
    """Answer, shut down writing, read to the end, close."""
    epoll, client, server = _half_read_request(lab)
    lab.shutdown(server, socket.SHUT_WR)
    event = lab.until(epoll, EPOLLIN | EPOLLRDHUP)
    answer = lab.recv_now(client)
    end = lab.recv_now(client)
    lab.close(client)
    rest = lab.recv(server)
    last = lab.recv(server)
    lab.close(server)
    lab.must(
        "tcp-lingering-close-delivers-the-answer",
        expected=[EPOLLIN | EPOLLRDHUP, _ANSWER, b"", _REQUEST[_READ:], b""],
        observed=[event, answer, end, rest, last],
        reason="the client's event, answer and end of file; the rest of its request; its end",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "tcp-answer-before-reset-may-be-lost",
            "What the client reads of an answer that was followed by a reset: on Linux, so far, all of it.",
            "RFC 2525 2.17; observed",
        ),
        Claim(
            "tcp-close-over-unread-data-resets",
            "close() with unread data in the socket resets the connection.",
            "close(2); RFC 2525 2.17; net/ipv4/tcp.c __tcp_close",
        ),
        Claim(
            "tcp-lingering-close-delivers-the-answer",
            "Shutting down the writing side and reading to the end first gives the client its answer and a "
            "clean end.",
            "shutdown(2); RFC 9112 9.6",
        ),
    ),
)
