"""Sockets in an epoll, epolls in an epoll: what one thread is told, and what it is told again.

What it does        Builds each arrangement of sockets and nested epolls, level- and edge-triggered, writes each
                    socket once, and asks the outermost epoll twice without reading anything, by epoll_wait alone and
                    by poll(2) before it.
Why it bites        Nesting multiplies the triggers, and it is the outer one that decides what is told again: an
                    edge-triggered socket within a level-triggered inner epoll goes on being reported outside, though
                    nothing new happens, for the inner epoll still has something to say.
What you will see   Everything is reported the first time. The second time all of it again where the outer entries
                    are level-triggered, nothing where they are edge-triggered; and poll(2) of the epoll agrees.
References          epoll(7) Q4, "Level-triggered and edge-triggered"; kselftest
                    filesystems/epoll/epoll_wakeup_test.c
"""

from toolkit.cases.epoll._topologies import CHAIN, FAN, FLAT, HOW, SELFTEST, Shape, build
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_SELFTESTS = {
    ("ew", "flat"): 1,
    ("p", "flat"): 5,
    ("ew", "chain"): 17,
    ("p", "chain"): 21,
    ("ew", "fan"): 49,
    ("p", "fan"): 51,
}
"""The number of the first self-test of each row; the shapes of a row are numbered on."""

_ROWS = [
    (how, shape, _SELFTESTS[how, family] + index)
    for family, shapes in (("flat", FLAT), ("chain", CHAIN), ("fan", FAN))
    for how in HOW
    for index, shape in enumerate(shapes)
]


def _id(how: str, shape: Shape) -> str:
    return f"epoll-topo-1thread-{how}-{shape.name}"


def _again(shape: Shape) -> int:
    return 0 if shape.outer_edge else shape.sockets


def one_thread(lab: Lab) -> None:
    """Each row of the table."""
    for how, shape, _ in _ROWS:
        topology = build(lab, shape)
        topology.write_each(lab)
        seen = []
        for _time in range(2):
            readable = [bool(lab.poll(topology.outer) & EPOLLIN)] if how == "p" else []
            seen.append([*readable, lab.ready_count(topology.outer)])
        counts = (shape.sockets, _again(shape))
        lab.must(
            _id(how, shape),
            expected=[[count > 0, count] if how == "p" else [count] for count in counts],
            observed=seen,
        )


CASE = Case(
    variants=(one_thread,),
    claims=tuple(
        Claim(
            _id(how, shape),
            f"{shape.text.capitalize()}: written once and not read, {HOW[how]} reports {shape.sockets}, and"
            f" {_again(shape)} when asked again.",
            f"{SELFTEST}{number}",
        )
        for how, shape, number in _ROWS
    ),
)
