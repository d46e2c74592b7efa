"""An epoll can watch an epoll, but not itself, not in a ring, and not deeper than five.

What it does        Adds epoll instances to one another: to itself, in a ring of two and of five, in chains from two
                    to six, from the bottom up and from the top down.
Why it bites        Readiness is passed up the chain by a call inside a call, so the kernel refuses what would never
                    end (ELOOP) or go too deep for its stack. Libraries nest without knowing of each other: a loop
                    that is itself a source of another loop works at home and fails with ELOOP in the program that
                    has one layer more. Emulators get the readiness of the outer wrong, and the errors too.
What you will see   A write at the bottom makes each level up to the fifth report EPOLLIN for the next; the sixth is
                    ELOOP, in whichever order the chain is built; itself is EINVAL, also through a dup; rings are
                    ELOOP. Breadth is not limited on one level, where one descriptor may be in a thousand instances,
                    but on two: 500 paths, then EINVAL.
References          epoll(7) Q4, Q5; epoll_ctl(2) EINVAL, ELOOP; emkey1/ish-AOK#492; google/gvisor#6427;
                    rcore-os/tgoskits#2378; shadow/shadow#149
"""

import resource

from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.limits import limited
from toolkit.primitives.epoll import Epoll

_DEEPEST = 5
_WIDE = 1200
_MOST_PATHS = 500


def nesting(lab: Lab) -> None:
    """Chains that work, chains and rings that do not."""
    _chains_report(lab)
    _too_deep(lab)
    _rings(lab)
    _close_inner(lab)
    _wide(lab)
    _wide_and_deep(lab)


def _chain(lab: Lab, levels: int) -> tuple[list[Epoll], list[str], int, int]:
    """Instances over a pipe, innermost first; the outcome of each ADD; the pipe."""
    reader, writer = lab.pipe()
    chain: list[Epoll] = []
    outcomes = []
    for _ in range(levels):
        epoll = lab.epoll()
        outcomes.append(lab.outcome(lab.add, epoll, chain[-1] if chain else reader, EPOLLIN))
        chain.append(epoll)
    return chain, outcomes, reader, writer


def _chains_report(lab: Lab) -> None:
    for levels in range(2, _DEEPEST + 1):
        chain, outcomes, reader, writer = _chain(lab, levels)
        before = [lab.told(epoll) for epoll in chain]
        lab.write(writer, b"x")
        lab.must(
            "epoll-nesting-five-levels-works",
            expected=[
                ["ok"] * levels,
                [[]] * levels,
                [[reader], *([inner.fileno()] for inner in chain[:-1])],
            ],
            observed=[outcomes, before, [lab.told(epoll) for epoll in chain]],
            reason=f"{levels} levels",
        )
    lab.read(reader)
    lab.must(
        "epoll-fd-readable-never-writable",
        expected="0",
        observed=lab.poll(chain[-1], EPOLLOUT),
        reason="poll(2) of an epoll descriptor for POLLOUT",
    )
    lab.must(
        "epoll-nested-poll-verifies-inner-readiness",
        expected=["0", []],
        observed=[lab.poll(chain[-1]), lab.told(chain[-1])],
        reason="drained before anybody asked: readiness is looked up, not remembered",
    )


def _too_deep(lab: Lab) -> None:
    _, outcomes, *_ = _chain(lab, _DEEPEST + 1)
    lab.must(
        "epoll-nesting-sixth-level-eloop",
        expected=["ok"] * _DEEPEST + ["ELOOP"],
        observed=outcomes,
    )
    reader, _writer = lab.pipe()
    downwards = [lab.epoll()]
    outcomes = []
    for _ in range(_DEEPEST):
        inner = lab.epoll()
        outcomes.append(lab.outcome(lab.add, downwards[-1], inner, EPOLLIN))
        downwards.append(inner)
    lab.must(
        "epoll-nesting-top-down-also-limited",
        expected=["ok"] * (_DEEPEST - 1) + ["ELOOP"],
        observed=outcomes,
        reason="links between epolls",
    )
    lab.close(reader)


def _rings(lab: Lab) -> None:
    one, two = lab.epoll(), lab.epoll()
    lab.must("epoll-add-self-einval", expected="EINVAL", observed=lab.outcome(lab.add, one, one, EPOLLIN))
    lab.must(
        "epoll-add-self-through-dup-einval",
        expected="EINVAL",
        observed=lab.outcome(lab.add, one, lab.dup(one), EPOLLIN),
    )
    eventfd = lab.eventfd(initial=1)
    lab.add(one, two, EPOLLIN)
    back = lab.outcome(lab.add, two, one, EPOLLIN)
    lab.add(two, eventfd, EPOLLIN)
    lab.must(
        "epoll-two-instance-cycle-eloop",
        expected=["ELOOP", [eventfd.fileno()], [two.fileno()]],
        observed=[back, lab.told(two), lab.told(one)],
        reason="the way back; both still work",
    )
    chain, _, *_ = _chain(lab, _DEEPEST)
    lab.must(
        "epoll-long-cycle-eloop",
        expected="ELOOP",
        observed=lab.outcome(lab.add, chain[0], chain[-1], EPOLLIN),
    )


def _close_inner(lab: Lab) -> None:
    inner, outer, eventfd = lab.epoll(), lab.epoll(), lab.eventfd(initial=1)
    lab.add(inner, eventfd, EPOLLIN)
    lab.add(outer, inner, EPOLLIN)
    before = len(lab.told(outer))
    lab.close(inner)
    lab.must(
        "epoll-close-inner-epoll-removed-from-outer",
        expected=[1, [], []],
        observed=[before, lab.told(outer), lab.interest_list(outer)],
    )


def _wide(lab: Lab) -> None:
    needed = 2 * _WIDE
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < needed:
        lab.skip("epoll-flat-fanout-unlimited", f"needs a hard RLIMIT_NOFILE of {needed}")
        return
    with limited(resource.RLIMIT_NOFILE, needed):
        eventfd = lab.eventfd()
        instances = [lab.epoll() for _ in range(_WIDE)]
        outcomes = {lab.outcome(lab.add, epoll, eventfd, EPOLLIN) for epoll in instances}
        eventfd.write(1)
        lab.must(
            "epoll-flat-fanout-unlimited",
            expected=[["ok"], _WIDE],
            observed=[sorted(outcomes), sum(lab.ready_count(epoll) for epoll in instances)],
            reason=f"one eventfd in {_WIDE} instances: outcomes of ADD, and how many report it",
        )


def _wide_and_deep(lab: Lab) -> None:
    """500 ways of length two lead from the eventfd to the outer epoll, and no more (fs/eventpoll.c path_limits)."""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2 * _WIDE:
        lab.skip("epoll-nested-fanout-limited", f"needs a hard RLIMIT_NOFILE of {2 * _WIDE}")
        return
    with limited(resource.RLIMIT_NOFILE, 2 * _WIDE):
        outer, eventfd = lab.epoll(), lab.eventfd()
        outcomes = []
        for _ in range(_MOST_PATHS + 1):
            inner = lab.epoll()
            lab.add(inner, eventfd, EPOLLIN)
            outcomes.append(lab.outcome(lab.add, outer, inner, EPOLLIN))
    lab.must(
        "epoll-nested-fanout-limited",
        expected={"ok": _MOST_PATHS, "then": "EINVAL"},
        observed={"ok": outcomes.count("ok"), "then": outcomes[-1]},
        reason="one eventfd in many inner epolls, all of them in one outer epoll",
    )


CASE = Case(
    variants=(nesting,),
    claims=(
        Claim(
            "epoll-nesting-five-levels-works",
            "Through chains of two to five nested instances a write makes every level report the next.",
            "epoll(7) Q4; LTP epoll_wait09",
        ),
        Claim(
            "epoll-nested-poll-verifies-inner-readiness",
            "Readiness of an epoll descriptor is looked up when asked: drained inside, it is not readable "
            "outside.",
            "fs/eventpoll.c ep_eventpoll_poll; observed",
        ),
        Claim(
            "epoll-nesting-sixth-level-eloop",
            "A sixth level on top of five is ELOOP.",
            "epoll_ctl(2) ELOOP; LTP epoll_ctl04",
        ),
        Claim(
            "epoll-nesting-top-down-also-limited",
            "Built from the top down a chain is limited as well: four links between epolls, the fifth is "
            "ELOOP.",
            "epoll_ctl(2) ELOOP; fs/eventpoll.c ep_get_upwards_depth_proc",
        ),
        Claim(
            "epoll-add-self-einval",
            "ADD of an epoll to itself is EINVAL.",
            "epoll_ctl(2) EINVAL; epoll(7) Q5",
        ),
        Claim(
            "epoll-add-self-through-dup-einval",
            "ADD of an epoll to itself through a dup is EINVAL: open files are compared, not numbers.",
            "epoll(7) Q5; observed",
        ),
        Claim(
            "epoll-two-instance-cycle-eloop",
            "With B in A, ADD of A to B is ELOOP, and both stay usable.",
            "epoll_ctl(2) ELOOP; LTP epoll_ctl07",
        ),
        Claim(
            "epoll-long-cycle-eloop",
            "Closing a chain of five to a ring is ELOOP.",
            "epoll_ctl(2) ELOOP; LTP epoll_ctl05",
        ),
        Claim(
            "epoll-close-inner-epoll-removed-from-outer",
            "Closing an inner epoll removes it from the outer one without an event.",
            "epoll(7) Q7",
        ),
        Claim(
            "epoll-flat-fanout-unlimited",
            "One descriptor may be watched by more than a thousand instances.",
            "fs/eventpoll.c path_limits; observed",
        ),
        Claim(
            "epoll-nested-fanout-limited",
            "At most 500 paths of two epolls may lead from one descriptor; one more ADD is EINVAL.",
            "fs/eventpoll.c path_limits, reverse_path_check",
            since="3.3",
        ),
        Claim(
            "epoll-fd-readable-never-writable",
            "An epoll descriptor becomes readable, never writable.",
            "epoll(7) Q4; fs/eventpoll.c ep_eventpoll_poll",
        ),
    ),
)
