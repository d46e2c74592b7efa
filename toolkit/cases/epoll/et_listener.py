"""Edge-triggered listener: five connections, one event.

What it does        Registers a listener with EPOLLET, lets five clients connect, and accepts once an event.
Why it bites        The edge says "connections arrived", not how many. Four clients stay in the queue, connected as
                    far as they know, served by nobody, until somebody else connects and takes the blame.
What you will see   naive: one accepted, the wait silent, four more there for the taking. right: accept until EAGAIN.
References          epoll(7) Q9; accept(2) NOTES; memcached/memcached#476; tokio-rs/mio#845; envoyproxy/envoy#27773;
                    vibe-d/eventcore#20
"""

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.sockets import Address
from toolkit.primitives.epoll import Epoll

_CLIENTS = 5


def _with_clients_in_the_queue(lab: Lab) -> tuple[Epoll, int, Address]:
    epoll, (listener, address) = lab.epoll(), lab.listener()
    lab.add(epoll, listener, EPOLLIN | EPOLLET)
    for _ in range(_CLIENTS):
        lab.connect(address)
    lab.queued(listener, _CLIENTS)
    return epoll, listener, address


def naive(lab: Lab) -> None:
    """One accept an event."""
    epoll, listener, _ = _with_clients_in_the_queue(lab)
    accepted = 0
    while lab.told(epoll):
        lab.accept(listener)
        accepted += 1
    left = _accept_all(lab, listener)
    lab.must(
        "epoll-et-listener-one-edge-for-many",
        expected={"accepted": 1, "left in the queue": _CLIENTS - 1},
        observed={"accepted": accepted, "left in the queue": left},
    )


def right(lab: Lab) -> None:
    """Accept until EAGAIN."""
    epoll, listener, address = _with_clients_in_the_queue(lab)
    accepted = 0
    while lab.told(epoll):
        accepted += _accept_all(lab, listener)
    lab.must("epoll-et-listener-accept-until-eagain", expected=_CLIENTS, observed=accepted)
    lab.connect(address)
    lab.must(
        "epoll-et-listener-next-client-next-edge",
        expected=[listener],
        observed=lab.told(epoll, within=1.0),
    )


def _accept_all(lab: Lab, listener: int) -> int:
    accepted = 0
    while lab.outcome(lab.accept, listener) == "ok":
        accepted += 1
    return accepted


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-et-listener-one-edge-for-many",
            "Edge-triggered listener: connections that arrive before the wait share one event.",
            "epoll(7) Q8, Q9",
        ),
        Claim(
            "epoll-et-listener-accept-until-eagain",
            "Accepting until EAGAIN takes every connection behind one edge.",
            "epoll(7) Q9",
        ),
        Claim(
            "epoll-et-listener-next-client-next-edge",
            "After the queue was emptied, the next connection is a new event.",
            "epoll(7) Q9",
        ),
    ),
)
