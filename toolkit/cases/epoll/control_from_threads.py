"""epoll_ctl while others wait, and while others do the same.

What it does        ADDs a ready descriptor to an instance on which a thread sleeps; lets eight threads ADD one
                    descriptor at once; adds and removes one over and over while another thread waits.
Why it bites        Most loops keep epoll_ctl and epoll_wait in one thread, for fear of what happens otherwise.
                    Nothing bad does: the instance has its own lock, one of several ADDs wins, a waiter sees what was
                    added, and a wait never reports what was not registered at some time. What remains is the last
                    event of an entry that was just removed.
What you will see   The sleeper returns the new descriptor; one "ok" and seven EEXIST; every value that was reported
                    is one that had been registered, up to the last, which stays.
References          epoll_wait(2) NOTES; epoll_ctl(2); epoll(7) "Possible pitfalls"; stress-ng epoll
"""

import threading
from collections import Counter

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_RIVALS = 8
_CHURN = 400


def control(lab: Lab) -> None:
    """A sleeper, rivals, churn."""
    epoll, eventfd = lab.epoll(), lab.eventfd(initial=1)
    waiter = lab.asleep(lab.told, epoll, 5.0)
    lab.add(epoll, eventfd, EPOLLIN)
    lab.must(
        "epoll-wait-add-while-blocked-wakes",
        expected=[eventfd.fileno()],
        observed=waiter.result(),
        reason="the instance was empty when the wait began",
    )
    _rivals(lab)
    _churn(lab)


def _rivals(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd(initial=1)
    start = threading.Barrier(_RIVALS)

    def rival(number: int) -> str:
        start.wait(lab.seconds(5.0))
        return lab.outcome(lab.add, epoll, eventfd, EPOLLIN, data=number)

    outcomes = [one.result() for one in [lab.thread(rival, number) for number in range(_RIVALS)]]
    winner = outcomes.index("ok") if "ok" in outcomes else None
    lab.must(
        "epoll-concurrent-add-same-fd-one-wins",
        expected=[{"ok": 1, "EEXIST": _RIVALS - 1}, [winner]],
        observed=[dict(Counter(outcomes)), lab.told(epoll)],
        reason="outcomes; the data word that is registered",
    )


def _churn(lab: Lab) -> None:
    epoll, eventfd, last = lab.epoll(), lab.eventfd(initial=1), _CHURN + 1

    def collect() -> list[int]:
        seen: list[int] = []
        while last not in seen:
            seen += lab.told(epoll, 5.0)
        return seen

    waiter = lab.asleep(collect)
    outcomes: Counter[str] = Counter()
    for number in range(1, _CHURN + 1):
        outcomes[lab.outcome(lab.add, epoll, eventfd, EPOLLIN, data=number)] += 1
        outcomes[lab.outcome(lab.remove, epoll, eventfd)] += 1
    lab.add(epoll, eventfd, EPOLLIN, data=last)  # this one stays until it is seen
    seen = waiter.result()
    bogus = [value for value in seen if not 1 <= value <= last]
    lab.must(
        "epoll-add-del-churn-vs-waiter-no-bogus-data",
        expected=[{"ok": 2 * _CHURN}, [], True],
        observed=[dict(outcomes), bogus, seen == sorted(seen)],
        reason=f"outcomes of ADD and DEL; values never registered; whether {len(seen)} values came in order",
    )


CASE = Case(
    variants=(control,),
    claims=(
        Claim(
            "epoll-wait-add-while-blocked-wakes",
            "ADD of a ready descriptor wakes a thread that is blocked on the instance.",
            "epoll_wait(2) NOTES",
        ),
        Claim(
            "epoll-concurrent-add-same-fd-one-wins",
            "Of several threads that ADD one descriptor at once, one succeeds and the others get EEXIST.",
            "epoll_ctl(2) EEXIST",
        ),
        Claim(
            "epoll-add-del-churn-vs-waiter-no-bogus-data",
            "While one thread adds and removes, another's waits report only what was registered, and "
            "nothing fails.",
            "epoll(7) Possible pitfalls; stress-ng epoll",
        ),
    ),
)
