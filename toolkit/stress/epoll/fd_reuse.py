"""Descriptors are closed and opened again while events for the old ones are still to come.

What it does        `--workers` threads open, duplicate, close and reopen counters under one epoll; one waiter handles
                    the events. The naive handler trusts the number, the right one compares a generation kept in the
                    64-bit word and lets nobody close the number while it reads. `both` runs one half of the time
                    each.
What must hold      the naive handler is caught giving events to the wrong owner, the right one never does.
What surprises      a duplicate keeps a closed number's entry alive, and it speaks in the name of the number's next
                    owner.
References          epoll(7) Q6; moonbitlang/async#571; joyent/libuv#968
"""

import resource

from toolkit.stress.plan import VARIANTS
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify

_MOST_NUMBERS = 1 << 20  # the bits that the loop keeps for a number


def prepare(stage: Stage) -> Verify:
    plan = stage.plan
    variant = VARIANTS.index(plan.variant)
    numbers = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], _MOST_NUMBERS)
    stage.lanes(numbers)
    instance = stage.epoll().fileno()
    for _ in range(plan.workers):
        stage.worker("churner", "reuse_churn", timed=True, epoll=instance, variant=variant, **stage.all_lanes)
    stage.worker("waiter", "reuse_watch", produces=False, epoll=instance, variant=variant, **stage.all_lanes)

    def verify() -> list[Invariant]:
        mixed, dropped = stage.total("mixed"), stage.total("stale")
        found = []
        if plan.variant != "right" and (mixed or not stage.interrupted):
            found.append(Invariant("naive-is-caught-mixing", mixed > 0, "at least 1", mixed))
        if plan.variant != "naive":
            if not stage.has_broken("right-never-mixes"):
                found.append(Invariant("right-never-mixes", True, "at every event", "at every event"))
            if dropped or not stage.interrupted:
                found.append(Invariant("right-drops-what-is-stale", dropped > 0, "at least 1", dropped))
        return found

    return verify


STRESSOR = Stressor(prepare, options=("variant",), processes=False)
