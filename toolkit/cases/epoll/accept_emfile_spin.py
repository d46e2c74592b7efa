"""With no descriptor left, accept() fails and the listener stays ready: the loop spins.

What it does        Brings the process to its limit of descriptors and lets a client connect.
Why it bites        accept() needs a number for the connection. Without one it says EMFILE and leaves the connection
                    in the queue, so the listener is still readable, and a level-triggered wait returns at once. The
                    client hangs, the log fills with 10,000 lines a second, and the loop has no time for closing the
                    connections that would free a number.
What you will see   naive: ten waits, ten times EMFILE, and the client still waits. right: a spare descriptor, kept
                    for this moment: close it, accept, close the connection (the client sees the end at once), take
                    the spare back. The queue is empty and the wait silent.
References          accept(2) EMFILE; libev(3) "The special problem of accept()ing when you can't";
                    twisted/twisted#5368; joyent/libuv#690 and #315; nodejs/node#45242; oven-sh/bun#32705;
                    nanomsg/nanomsg#152; sustrik/libmill#182
"""

import os

from toolkit.ffi.flags import EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.limits import no_free_descriptor

_LOOKS = 10


def naive(lab: Lab) -> None:
    """Accept, and try again when it fails."""
    epoll, (listener, address) = lab.epoll(), lab.listener()
    lab.add(epoll, listener, EPOLLIN)
    client = lab.connect(address)
    lab.poll(listener, EPOLLIN, within=1.0)
    with no_free_descriptor():
        turns = [(lab.told(epoll), lab.outcome(lab.accept, listener)) for _ in range(_LOOKS)]
    lab.must(
        "epoll-accept-emfile-keeps-listener-ready",
        expected={"reported, then EMFILE": _LOOKS},
        observed={"reported, then EMFILE": turns.count(([listener], "EMFILE"))},
    )
    lab.must(
        "epoll-accept-emfile-keeps-connection-queued",
        expected="0",
        observed=lab.poll(client, EPOLLIN | EPOLLRDHUP),
        reason="the client hears nothing",
    )


def right(lab: Lab) -> None:
    """A spare descriptor to be polite with."""
    epoll, (listener, address) = lab.epoll(), lab.listener()
    lab.add(epoll, listener, EPOLLIN)
    client = lab.connect(address)
    lab.poll(listener, EPOLLIN, within=1.0)
    spare = lab.open(os.devnull)
    refused = 0
    with no_free_descriptor():
        while lab.told(epoll) and refused < _LOOKS:
            lab.close(spare)
            lab.close(lab.accept(listener))
            spare = lab.open(os.devnull)
            refused += 1
    lab.must(
        "epoll-spare-descriptor-empties-the-queue",
        expected={"connections refused": 1, "listener": []},
        observed={"connections refused": refused, "listener": lab.told(epoll)},
    )
    lab.must(
        "epoll-spare-descriptor-tells-the-client",
        expected=EPOLLIN | EPOLLRDHUP,
        observed=lab.poll(client, EPOLLIN | EPOLLRDHUP, within=1.0),
        reason="the client sees the end of the connection",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-accept-emfile-keeps-listener-ready",
            "When accept() fails with EMFILE the listener is reported by every further wait.",
            "accept(2) EMFILE; libev(3)",
        ),
        Claim(
            "epoll-accept-emfile-keeps-connection-queued",
            "The connection that could not be accepted stays in the queue; its client is told nothing.",
            "accept(2) EMFILE",
        ),
        Claim(
            "epoll-spare-descriptor-empties-the-queue",
            "Giving up a spare descriptor lets the connection be accepted and closed, and the listener is "
            "silent again.",
            "libev(3)",
        ),
        Claim(
            "epoll-spare-descriptor-tells-the-client",
            "The client of a connection refused in this way sees the end of it at once.",
            "libev(3); close(2)",
        ),
    ),
)
