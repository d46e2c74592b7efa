"""Registered descriptors are closed, deleted, duplicated and added again while others wait.

What it does        `--workers` threads churn through four ways to end an entry (close; DEL and close; close with a
                    duplicate held; DEL, ADD of the duplicate, close), two waiters on the same instance look on.
What must hold      a wait that starts after EPOLL_CTL_DEL has returned does not report the entry; in the end the list
                    is empty, although two of the four ways never call DEL.
What surprises      a bare close() of the last descriptor is weaker: the stale column counts events that a wait
                    reported although it started after close() had returned (another waiter held the file for a
                    moment).
References          epoll_ctl(2), epoll(7) Q6; fs/eventpoll.c, epi_fget and eventpoll_release
"""

from toolkit.primitives.fdinfo import read_interest_list
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal

_GENERATIONS = 1 << 16  # remembered; a power of two
_WAITERS = 2


def prepare(stage: Stage) -> Verify:
    stage.lanes(_GENERATIONS)
    instance = stage.epoll().fileno()
    for _ in range(stage.plan.workers):
        stage.worker("churner", "race_churn", timed=True, epoll=instance, **stage.all_lanes)
    for _ in range(_WAITERS):
        stage.worker("waiter", "race_watch", produces=False, epoll=instance, **stage.all_lanes)

    def verify() -> list[Invariant]:
        left = [entry.tfd for entry in read_interest_list(instance)]
        return [equal("nothing-left-in-the-list", [], left)]

    return verify


STRESSOR = Stressor(prepare, each=("nothing-after-del",), processes=False)
