"""EPOLLERR that recv() cannot clear: the socket's error queue.

What it does        Turns on IP_RECVERR on a UDP socket, sends to a port where nobody listens, and reads until
                    EAGAIN.
Why it bites        The ICMP answer becomes a pending error, which the next call reports and clears, and with
                    IP_RECVERR also an entry in the error queue, which ordinary recv() never touches. EPOLLERR stays,
                    recv() says EAGAIN, and the loop spins on a socket that has nothing to read. Transmit timestamps
                    (SO_TIMESTAMPING) and MSG_ZEROCOPY fill the same queue.
What you will see   naive: ECONNREFUSED once, then EAGAIN, and EPOLLERR at each of ten waits. right:
                    recv(MSG_ERRQUEUE) until EAGAIN, and the wait is silent.
References          ip(7) IP_RECVERR; recv(2) MSG_ERRQUEUE; libevent/libevent#1092; redis/redis#569 and #15107
"""

import socket

from toolkit.ffi.flags import EPOLLERR, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll

_LOOKS = 10
_IP_RECVERR = 11  # linux/in.h


def _with_an_error(lab: Lab) -> tuple[Epoll, int]:
    """A connected UDP socket whose datagram was refused, registered for EPOLLIN.

    The port is held by a socket that takes datagrams from itself only: one that was free could be anybody's by now.
    """
    nobody, sock, epoll = lab.udp_socket(), lab.udp_socket(nonblocking=True), lab.epoll()
    address = lab.bind(nobody)
    lab.connect_socket(nobody, address)
    lab.set_option(sock, socket.IPPROTO_IP, _IP_RECVERR, 1)
    lab.connect_socket(sock, address)
    lab.add(epoll, sock, EPOLLIN)
    lab.send(sock, b"anybody there?")
    lab.until(epoll, EPOLLERR)
    return epoll, sock


def naive(lab: Lab) -> None:
    """recv() until EAGAIN."""
    epoll, sock = _with_an_error(lab)
    outcomes = [lab.outcome(lab.recv_now, sock) for _ in range(2)]
    seen = [lab.ready(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epoll-error-queue-keeps-epollerr",
        expected=[["ECONNREFUSED", "EAGAIN"], {"EPOLLERR": _LOOKS}],
        observed=[outcomes, {"EPOLLERR": seen.count([(sock, EPOLLERR)])}],
    )


def right(lab: Lab) -> None:
    """The error queue as well."""
    epoll, sock = _with_an_error(lab)
    while lab.outcome(lab.recv_now, sock) != "EAGAIN":
        pass
    entries = 0
    while lab.outcome(lab.recv, sock, 512, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT) == "ok":
        entries += 1
    lab.must(
        "epoll-error-queue-drained-clears-epollerr",
        expected=[1, []],
        observed=[entries, lab.ready(epoll)],
        reason="entries in the error queue; the wait afterwards",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-error-queue-keeps-epollerr",
            "An entry in the error queue keeps EPOLLERR set, whatever ordinary reads return.",
            "ip(7) IP_RECVERR",
        ),
        Claim(
            "epoll-error-queue-drained-clears-epollerr",
            "Reading the error queue with MSG_ERRQUEUE until EAGAIN clears EPOLLERR.",
            "recv(2) MSG_ERRQUEUE",
        ),
    ),
)
