"""Edge-triggered: what was left unread is never reported.

What it does        Registers a pipe with EPOLLET, writes 2,000 bytes, reads 1,000 of them after the event, and
                    waits.
Why it bites        EPOLLET reports arrivals, not contents. The arrival was reported, the rest of it is just there,
                    and nothing comes for it until more arrives: a request sits half-read while its client waits for
                    the answer, a paste in a terminal stops until the next key.
What you will see   naive: the wait is silent though poll(2) says readable; the next write brings an event for
                    everything. right: read until EAGAIN. On a stream or pipe a read that returns less than asked for
                    has emptied it as well; for datagrams that shortcut is wrong, each read returns just one.
References          epoll(7) "Level-triggered and edge-triggered", Q9, Q10; tokio-rs/mio#45;
                    crossterm-rs/crossterm#1057; strongswan/davici#4
"""

import os
import socket

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """One read an event."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN | EPOLLET)
    lab.write(writer, b"x" * 2000)
    first = lab.told(epoll)
    lab.read(reader, 1000)
    lab.must(
        "epoll-et-partial-read-stalls",
        expected=[[reader], [], "EPOLLIN"],
        observed=[first, lab.told(epoll), lab.poll(reader)],
        reason="the event; the wait after reading half; what poll(2) says",
    )
    lab.write(writer, b"y")
    lab.must(
        "epoll-et-new-data-new-edge-without-drain",
        expected=[[reader], 1001],
        observed=[lab.told(epoll), len(lab.read(reader))],
    )
    ours, theirs = lab.socketpair(socket.SOCK_DGRAM)
    lab.add(epoll, ours, EPOLLIN | EPOLLET)
    lab.send(theirs, b"one")
    lab.send(theirs, b"two")
    edge = lab.told(epoll)
    short = lab.recv_now(ours, 4096)
    lab.must(
        "epoll-et-datagram-needs-eagain",
        expected=[[ours], b"one", [], b"two"],
        observed=[edge, short, lab.told(epoll), lab.recv_now(ours)],
        reason="a read shorter than its buffer did not mean empty",
    )


def right(lab: Lab) -> None:
    """Read until EAGAIN."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe(os.O_CLOEXEC | os.O_NONBLOCK)
    lab.add(epoll, reader, EPOLLIN | EPOLLET)
    lab.write(writer, b"x" * 2000)
    got = 0
    for _ in lab.told(epoll):
        got += len(lab.drain(reader, 1000))
    lab.write(writer, b"y")
    lab.must(
        "epoll-et-drain-until-eagain",
        expected=[2000, [reader]],
        observed=[got, lab.told(epoll)],
        reason="bytes read; the wait after the next write",
    )
    lab.drain(reader)
    lab.write(writer, b"z" * 10)
    edge = lab.told(epoll)
    short = lab.read(reader, 4096)
    lab.write(writer, b"after a short read")
    lab.must(
        "epoll-et-stream-short-read-means-drained",
        expected=[[reader], 10, [reader]],
        observed=[edge, len(short), lab.told(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-et-partial-read-stalls",
            "Edge-triggered: after a partial read no event comes for the bytes that are left.",
            "epoll(7) Level-triggered and edge-triggered",
        ),
        Claim(
            "epoll-et-new-data-new-edge-without-drain",
            "Edge-triggered: new data brings a new event although older data is still unread.",
            "epoll(7) Q9",
        ),
        Claim(
            "epoll-et-datagram-needs-eagain",
            "Edge-triggered datagram socket: after reading one of two datagrams nothing is reported for "
            "the other.",
            "epoll(7) Q10",
        ),
        Claim(
            "epoll-et-drain-until-eagain",
            "Edge-triggered: reading until EAGAIN takes everything, and the next arrival is a new event.",
            "epoll(7) Q9",
        ),
        Claim(
            "epoll-et-stream-short-read-means-drained",
            "Edge-triggered stream or pipe: a read that returns less than asked has emptied it; the next "
            "write is an edge.",
            "epoll(7) Q10",
        ),
    ),
)
