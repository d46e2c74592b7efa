"""SO_RCVLOWAT: data is there, recv() would return it, and epoll keeps silent.

What it does        Sets SO_RCVLOWAT of a TCP socket to ten bytes and sends five, then five more, then the end.
Why it bites        Since Linux 2.6.28 poll and epoll honour the low-water mark. Set by one part of a program to save
                    wake-ups, it makes another part wait for a short message that has long arrived. The end of the
                    stream is reported whatever the mark says.
What you will see   naive: five bytes in the socket and no event. right: the mark back at 1 (or the message as long
                    as the mark), and EPOLLIN; at the end of the stream EPOLLIN in any case.
References          socket(7) SO_RCVLOWAT; net/ipv4/tcp.c tcp_stream_is_readable; wahern/cqueues#163; EOSIO/eos#4078
"""

import socket

from toolkit.ffi.flags import EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until
from toolkit.primitives.epoll import Epoll

_MARK = 10


def _half_arrived(lab: Lab) -> tuple[Epoll, int, int]:
    """An epoll, the watched socket with five bytes of a ten-byte mark in it, and its peer."""
    epoll, (client, server) = lab.epoll(), lab.tcp_pair()
    lab.set_option(server, socket.SOL_SOCKET, socket.SO_RCVLOWAT, _MARK)
    lab.add(epoll, server, EPOLLIN | EPOLLRDHUP)
    lab.send(client, b"12345")
    peek = socket.MSG_PEEK | socket.MSG_DONTWAIT
    until(lambda: lab.attempt(lab.recv, server, 64, peek) == b"12345", "five bytes arrived")
    return epoll, server, client


def naive(lab: Lab) -> None:
    """Wait for the event."""
    epoll, server, _client = _half_arrived(lab)
    lab.must(
        "epoll-rcvlowat-below-mark-silent",
        expected=[[], b"12345"],
        observed=[lab.ready(epoll), lab.recv_now(server)],
        reason="what epoll reports; what recv() returns",
    )


def right(lab: Lab) -> None:
    """Reach the mark, take it away, or end."""
    epoll, server, client = _half_arrived(lab)
    lab.send(client, b"67890")
    lab.must("epoll-rcvlowat-at-mark-reported", expected=[(server, EPOLLIN)], observed=lab.wait(epoll))

    epoll, server, client = _half_arrived(lab)
    lab.set_option(server, socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
    lab.must("epoll-rcvlowat-lowered-reported", expected=[(server, EPOLLIN)], observed=lab.wait(epoll))

    epoll, server, client = _half_arrived(lab)
    lab.close(client)
    lab.must(
        "epoll-rcvlowat-end-reported-anyway",
        expected=EPOLLIN | EPOLLRDHUP,
        observed=lab.until(epoll, EPOLLIN | EPOLLRDHUP),
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-rcvlowat-below-mark-silent",
            "With fewer bytes than SO_RCVLOWAT a TCP socket is not reported, though recv() returns them.",
            "socket(7) SO_RCVLOWAT",
            since="2.6.28",
        ),
        Claim(
            "epoll-rcvlowat-at-mark-reported",
            "As many bytes as SO_RCVLOWAT are reported.",
            "socket(7) SO_RCVLOWAT",
            since="2.6.28",
        ),
        Claim(
            "epoll-rcvlowat-lowered-reported",
            "Lowering SO_RCVLOWAT below what is there makes it reported.",
            "socket(7) SO_RCVLOWAT; observed",
        ),
        Claim(
            "epoll-rcvlowat-end-reported-anyway",
            "The end of the stream is reported whatever SO_RCVLOWAT says.",
            "net/ipv4/tcp.c tcp_poll; observed",
        ),
    ),
)
