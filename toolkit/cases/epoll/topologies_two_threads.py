"""Two threads asleep on one epoll: how many are woken by one write to each socket.

What it does        Builds each arrangement of sockets and nested epolls, lets two threads sleep on the outermost one
                    (in epoll_wait, or in poll(2) followed by epoll_wait(0)), and writes each socket once; nobody
                    reads.
Why it bites        Level-triggered, a thread that returns passes the wake-up on, since the entry is still ready;
                    this chain was broken for some arrangements before Linux 5.6, and a thread slept on with data
                    waiting. Edge-triggered, one event goes to one thread. poll(2) on an epoll wakes everybody, and
                    who comes late finds nothing: a thread woken by poll must bear an empty epoll_wait.
What you will see   Two threads for every level-triggered arrangement; one for an edge-triggered socket; two for two
                    of them when both wait in epoll_wait, one or two when a poll(2) is among them.
References          epoll(7) "Level-triggered and edge-triggered"; kselftest filesystems/epoll/epoll_wakeup_test.c
"""

from toolkit.cases.epoll._topologies import CHAIN, FAN, FLAT, HOW, SELFTEST, Shape, ask, build
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_WAYS = (("ew", "ew"), ("ew", "p"), ("p", "p"))
_SELFTESTS = {
    ("ew", "ew", "flat"): 9,
    ("ew", "p", "flat"): 13,
    ("ew", "ew", "chain"): 25,
    ("ew", "p", "chain"): 29,
    ("ew", "ew", "fan"): 53,
    ("ew", "p", "fan"): 55,
    ("p", "p", "fan"): 57,
}
"""The number of the first self-test of each row; the shapes of a row are numbered on."""

_ROWS = [
    (ways, shape, _SELFTESTS[(*ways, family)] + index)
    for family, shapes in (("flat", FLAT), ("chain", CHAIN), ("fan", FAN))
    for ways in _WAYS
    if (*ways, family) in _SELFTESTS
    for index, shape in enumerate(shapes)
]


def _id(ways: tuple[str, str], shape: Shape) -> str:
    return f"epoll-topo-2threads-{'-'.join(ways)}-{shape.name}"


def _possible(ways: tuple[str, str], shape: Shape) -> list[int]:
    """How many of the two threads may get an event."""
    if not shape.outer_edge:
        return [2]
    if shape.sockets == 1:
        return [1]
    return [1, 2] if "p" in ways else [2]


def two_threads(lab: Lab) -> None:
    """Each row of the table."""
    for ways, shape, _ in _ROWS:
        topology, home = build(lab, shape), lab.eventfd()
        lab.add(topology.outer, home, EPOLLIN)
        waiters = [lab.asleep(ask, lab, how, topology.outer, 5.0) for how in ways]
        topology.write_each(lab)
        possible = _possible(ways, shape)
        if 1 in possible:
            home.write(1)  # for the thread that nothing else wakes
        got = sum(waiter.result() not in ([], [home.fileno()]) for waiter in waiters)
        lab.must(
            _id(ways, shape),
            expected=possible[0] if len(possible) == 1 else f"one of {possible}",
            observed=got,
            holds=got in possible,
        )


CASE = Case(
    variants=(two_threads,),
    claims=tuple(
        Claim(
            _id(ways, shape),
            f"{shape.text.capitalize()}; two threads asleep on it ({HOW[ways[0]]}; {HOW[ways[1]]}): one write to each"
            f" socket gives {' or '.join(map(str, _possible(ways, shape)))} of them an event.",
            f"{SELFTEST}{number}" + ("" if shape.outer_edge else " (some shapes not before Linux 5.6)"),
        )
        for ways, shape, number in _ROWS
    ),
)
