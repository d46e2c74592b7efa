"""Many writers add random numbers to one counter, one reader takes the sums.

What it does        `--workers` writers and one reader beside them. Each write also counts itself in the high bits.
What must hold      the sum written is the sum read, and so is the number of writes.
References          eventfd(2): "a write adds to the counter, a read returns it and resets it to zero"
"""

from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    counter = stage.eventfd()
    for _ in range(stage.plan.workers):
        stage.worker("writer", "eventfd_add", writes=counter)
    stage.worker("reader", "eventfd_drain", produces=False, reads=counter)

    def verify() -> list[Invariant]:
        stage.figures["writes_per_read"] = stage.total("received") / max(1, stage.total("wakeups"))
        return [
            equal("writes-counted-once", stage.total("sent"), stage.total("received")),
            equal("sum-written-is-sum-read", stage.total("sent_sum"), stage.total("received_sum")),
        ]

    return verify


STRESSOR = Stressor(prepare)
