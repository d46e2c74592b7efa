"""A giver adds tokens to a semaphore in handfuls, many takers take them one by one.

What it does        `--workers` takers on one EFD_SEMAPHORE counter; the giver helps when they fall behind.
What must hold      each token is taken exactly once, each read returns 1, nothing is left.
References          eventfd(2), EFD_SEMAPHORE
"""

from toolkit.primitives.eventfd import peek
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    counter = stage.eventfd(semaphore=True)
    stage.worker("giver", "eventfd_give", reads=counter, writes=counter)
    for _ in range(stage.plan.workers):
        stage.worker("taker", "eventfd_take", produces=False, reads=counter)
    stage.counts = "received"

    def verify() -> list[Invariant]:
        return [
            equal("each-token-taken-once", stage.total("sent"), stage.total("received")),
            equal("nothing-left", 0, peek(counter)),
        ]

    return verify


STRESSOR = Stressor(prepare, each=("semaphore-read-returns-1",))
