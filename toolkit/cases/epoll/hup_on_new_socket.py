"""A TCP socket that never was connected reports EPOLLHUP.

What it does        Registers a fresh TCP socket, before connect().
Why it bites        The socket is in state CLOSE, where both directions are shut down, and the kernel reports that as
                    EPOLLHUP (with EPOLLOUT when asked): "the connection is over" for one that has not begun. A loop
                    that registers first and connects second tears the connection down before the first packet.
What you will see   naive: EPOLLOUT|EPOLLHUP at once. right: register after connect() was called: nothing while the
                    SYN is unanswered, then EPOLLOUT alone, and SO_ERROR is 0.
References          epoll_ctl(2) EPOLLHUP; connect(2) EINPROGRESS; jiixyj/epoll-shim#3; nanovms/nanos#1508
"""

from toolkit.ffi.flags import EPOLLHUP, EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """Register, then connect."""
    epoll, sock = lab.epoll(), lab.tcp_socket(nonblocking=True)
    lab.add(epoll, sock, EPOLLIN)
    reading = lab.ready(epoll)
    lab.modify(epoll, sock, EPOLLIN | EPOLLOUT)
    lab.must(
        "epoll-unconnected-tcp-out-hup",
        expected=[[(sock, EPOLLHUP)], [(sock, EPOLLOUT | EPOLLHUP)]],
        observed=[reading, lab.ready(epoll)],
        reason="with mask EPOLLIN, then EPOLLIN|EPOLLOUT",
    )
    _listener, address = lab.listener()
    lab.connect_socket(sock, address)
    lab.must(
        "epoll-hup-gone-after-connect",
        expected=[(sock, EPOLLOUT)],
        observed=lab.wait(epoll),
    )


def right(lab: Lab) -> None:
    """Connect, then register."""
    epoll, (listener, address) = lab.epoll(), lab.listener(backlog=0)
    sock = lab.connect(address, nonblocking=True)
    lab.add(epoll, sock, EPOLLIN | EPOLLOUT)
    lab.must(
        "epoll-nonblocking-connect-success-out",
        expected=[[(sock, EPOLLOUT)], 0],
        observed=[lab.wait(epoll), lab.socket_error(sock)],
    )
    lab.remove(epoll, sock)
    unanswered = _connect_to_a_full_backlog(lab, listener, address)
    lab.add(epoll, unanswered, EPOLLIN | EPOLLOUT)
    lab.must("epoll-connecting-tcp-reports-nothing", expected=[], observed=lab.ready(epoll))


def _connect_to_a_full_backlog(lab: Lab, listener: int, address: tuple[str, int]) -> int:
    """A backlog of 0 holds one connection; once that is in the queue, the next SYN is dropped (tcp(7))."""
    lab.poll(listener, EPOLLIN, within=1.0)
    return lab.connect(address, nonblocking=True)


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-unconnected-tcp-out-hup",
            "A TCP socket that was never connected reports EPOLLHUP at once, and EPOLLOUT when asked.",
            "observed; net/ipv4/tcp.c tcp_poll",
        ),
        Claim(
            "epoll-hup-gone-after-connect",
            "connect() makes the EPOLLHUP of a socket that was registered too early disappear.",
            "observed; net/ipv4/tcp.c tcp_poll",
        ),
        Claim(
            "epoll-nonblocking-connect-success-out",
            "A non-blocking connect that succeeds reports EPOLLOUT without EPOLLERR or EPOLLHUP, and "
            "SO_ERROR is 0.",
            "connect(2) EINPROGRESS",
        ),
        Claim(
            "epoll-connecting-tcp-reports-nothing",
            "While the connection is on its way (SYN sent, no answer) the socket reports nothing.",
            "connect(2) EINPROGRESS; net/ipv4/tcp.c tcp_poll",
        ),
    ),
)
