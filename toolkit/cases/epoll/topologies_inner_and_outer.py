"""One thread asleep on the inner epoll, one on the outer: who hears of a write.

What it does        Puts a socket into an inner epoll and that into an outer one, lets a thread sleep on each (in
                    epoll_wait, or in poll(2) followed by epoll_wait(0)), and writes the socket once; nobody reads.
Why it bites        The outer epoll is told that the inner one may have something, and asks it at its own wait. If
                    the thread on the inner one was faster and the socket is edge-triggered, there is nothing left to
                    report, and the outer thread sleeps on. An epoll that is waited on directly and watched by
                    another loop as well loses events for one of the two.
What you will see   Both threads, while the socket is level-triggered in the inner epoll. Edge-triggered, the thread
                    on the inner one always, the other perhaps.
References          epoll(7) Q4; kselftest filesystems/epoll/epoll_wakeup_test.c
"""

from toolkit.cases.epoll._topologies import CHAIN, HOW, SELFTEST, Shape, ask, build
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_SELFTESTS = {("ew", "ew"): 33, ("p", "ew"): 37, ("ew", "p"): 41, ("p", "p"): 45}
"""How the inner epoll is asked and how the outer one: the number of the first self-test of that row."""

_ROWS = [
    (ways, shape, first + index) for ways, first in _SELFTESTS.items() for index, shape in enumerate(CHAIN)
]


def _id(ways: tuple[str, str], shape: Shape) -> str:
    return f"epoll-topo-inner-outer-{'-'.join(ways)}-{shape.name}"


def inner_and_outer(lab: Lab) -> None:
    """Each row of the table."""
    for ways, shape, _ in _ROWS:
        topology, home = build(lab, shape), lab.eventfd()
        lab.add(topology.outer, home, EPOLLIN)
        [inner] = topology.inner
        on_inner = lab.asleep(ask, lab, ways[0], inner, 5.0)
        on_outer = lab.asleep(ask, lab, ways[1], topology.outer, 5.0)
        topology.write_each(lab)
        inner_got = len(on_inner.result())
        if shape.inner_edge:
            home.write(1)  # for the thread on the outer epoll, when it was too late
        outer_got = int(on_outer.result() == [inner.fileno()])
        lab.must(
            _id(ways, shape),
            expected={"inner": 1, "outer": "0 or 1" if shape.inner_edge else 1},
            observed={"inner": inner_got, "outer": outer_got},
            holds=inner_got == 1 and (outer_got == 1 or bool(shape.inner_edge)),
        )


CASE = Case(
    variants=(inner_and_outer,),
    claims=tuple(
        Claim(
            _id(ways, shape),
            f"{shape.text.capitalize()}; a thread asleep on the inner ({HOW[ways[0]]}), one on the outer"
            f" ({HOW[ways[1]]}): a write gives an event to"
            f" {'the inner one, and perhaps the outer' if shape.inner_edge else 'both'}.",
            f"{SELFTEST}{number}",
        )
        for ways, shape, number in _ROWS
    ),
)
