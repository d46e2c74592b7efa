"""AF_UNIX and TCP say different things when the peer closes.

What it does        Closes the peer of a socket pair, with and without unread data, and shuts down one direction of
                    it.
Why it bites        What was tried on a socket pair is deployed on TCP. A closed AF_UNIX peer is EPOLLHUP at once,
                    for both directions end together; a closed TCP peer is not. A peer that leaves our data unread
                    gives ECONNRESET in both, but only AF_UNIX tells it with the first look.
What you will see   EPOLLIN|EPOLLRDHUP|EPOLLHUP after close(), with EPOLLERR on top when our data was unread; half a
                    shutdown is EPOLLIN|EPOLLRDHUP as with TCP. And an empty datagram reads like an end of file, but
                    is none.
References          unix(7); epoll_ctl(2) EPOLLHUP; net/unix/af_unix.c unix_poll
"""

import errno
import socket

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab

_END = EPOLLIN | EPOLLRDHUP


def close(lab: Lab) -> None:
    """Closed, closed over unread data, half shut."""
    epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    lab.close(theirs)
    lab.must("epoll-unix-peer-close-hup", expected=[(ours, _END | EPOLLHUP)], observed=lab.ready(epoll))
    lab.remove(epoll, ours)

    ours, theirs = lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    lab.send(ours, b"never read")
    lab.close(theirs)
    event = lab.ready(epoll)
    error = lab.socket_error(ours)
    lab.must(
        "epoll-unix-peer-close-over-unread-data-err",
        expected=[[(ours, _END | EPOLLERR | EPOLLHUP)], "ECONNRESET"],
        observed=[event, errno.errorcode.get(error, error)],
        reason="the event; SO_ERROR",
    )
    lab.remove(epoll, ours)

    ours, theirs = lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLRDHUP)
    lab.shutdown(theirs, socket.SHUT_WR)
    lab.must("epoll-unix-peer-half-shutdown-no-hup", expected=[(ours, _END)], observed=lab.ready(epoll))
    lab.remove(epoll, ours)

    ours, theirs = lab.socketpair(socket.SOCK_DGRAM)
    lab.add(epoll, ours, EPOLLIN)
    lab.send(theirs, b"")
    empty = [lab.ready(epoll), lab.recv_now(ours)]
    lab.must(
        "epoll-empty-datagram-is-no-end-of-file",
        expected=[[(ours, EPOLLIN)], b"", "EAGAIN"],
        observed=[*empty, lab.outcome(lab.recv_now, ours)],
        reason="the event; what recv() returned; the next recv()",
    )


CASE = Case(
    variants=(close,),
    claims=(
        Claim(
            "epoll-unix-peer-close-hup",
            "A closed AF_UNIX stream peer is EPOLLIN|EPOLLRDHUP|EPOLLHUP at once.",
            "net/unix/af_unix.c unix_poll; observed",
        ),
        Claim(
            "epoll-unix-peer-close-over-unread-data-err",
            "An AF_UNIX peer that closes over unread data adds EPOLLERR, and SO_ERROR is ECONNRESET.",
            "net/unix/af_unix.c unix_release_sock; observed",
        ),
        Claim(
            "epoll-unix-peer-half-shutdown-no-hup",
            "An AF_UNIX peer that shut down writing only is EPOLLIN|EPOLLRDHUP, without EPOLLHUP.",
            "epoll_ctl(2) EPOLLRDHUP; unix(7)",
        ),
        Claim(
            "epoll-empty-datagram-is-no-end-of-file",
            "An empty datagram is EPOLLIN and an empty read, and not the end of anything.",
            "recv(2) RETURN VALUE; udp(7)",
        ),
    ),
)
