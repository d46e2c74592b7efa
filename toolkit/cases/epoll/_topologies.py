"""The shapes of the wake-up topologies: sockets in an epoll, or in epolls within an epoll."""

from dataclasses import dataclass

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Lab
from toolkit.primitives.epoll import Epoll

SELFTEST = "kselftest epoll_wakeup_test epoll"

HOW = {"ew": "epoll_wait", "p": "poll, then epoll_wait(0)"}
"""The two ways to ask an epoll."""


@dataclass(frozen=True)
class Shape:
    """One arrangement.

    Attributes:
        name: as the claims call it.
        text: the same in words.
        sockets: how many sockets are written, each once.
        outer_edge: whether what is in the outer epoll is edge-triggered.
        inner_edge: whether the socket in an inner epoll is; None without inner epolls.
    """

    name: str
    text: str
    sockets: int
    outer_edge: bool
    inner_edge: bool | None = None

    @property
    def trigger(self) -> int:
        """Mask for the entries of the outer epoll."""
        return EPOLLIN | EPOLLET if self.outer_edge else EPOLLIN

    @property
    def inner_trigger(self) -> int:
        """Mask for the sockets within inner epolls."""
        return EPOLLIN | EPOLLET if self.inner_edge else EPOLLIN


def _word(edge: bool) -> str:
    return "edge-triggered" if edge else "level-triggered"


def _short(edge: bool) -> str:
    return "et" if edge else "lt"


FLAT = tuple(
    Shape(
        f"flat{count}-{_short(edge)}",
        f"{'one socket' if count == 1 else 'two sockets'}, {_word(edge)}, in an epoll",
        count,
        edge,
    )
    for count in (1, 2)
    for edge in (False, True)
)
CHAIN = tuple(
    Shape(
        f"chain-{_short(outer)}-over-{_short(inner)}",
        f"a socket, {_word(inner)}, in an inner epoll that is {_word(outer)} in an outer one",
        1,
        outer,
        inner,
    )
    for outer in (False, True)
    for inner in (False, True)
)
FAN = tuple(
    Shape(
        f"fan-{_short(edge)}",
        f"two inner epolls, a socket in each, both {_word(edge)} in an outer one",
        2,
        edge,
        False,
    )
    for edge in (False, True)
)


@dataclass(frozen=True)
class Topology:
    """A shape, built: the outer epoll, the inner ones, and the other ends of the sockets."""

    outer: Epoll
    inner: list[Epoll]
    writers: list[int]

    def write_each(self, lab: Lab) -> None:
        """One write to each socket, which nobody reads."""
        for writer in self.writers:
            lab.send(writer, b"x")


def build(lab: Lab, shape: Shape) -> Topology:
    """The epolls and sockets of a shape, nothing written yet."""
    topology = Topology(lab.epoll(), [], [])
    for _ in range(shape.sockets):
        ours, theirs = lab.socketpair()
        topology.writers.append(theirs)
        if shape.inner_edge is None:
            lab.add(topology.outer, ours, shape.trigger)
        else:
            inner = lab.epoll()
            lab.add(inner, ours, shape.inner_trigger)
            lab.add(topology.outer, inner, shape.trigger)
            topology.inner.append(inner)
    return topology


def ask(lab: Lab, how: str, epoll: Epoll, within: float) -> list[int]:
    """One event at most, asked for in one of the ways of `HOW`: its data word."""
    if how == "p":
        lab.poll(epoll, EPOLLIN, within)
        within = 0.0
    return lab.told(epoll, within, maxevents=1)
