"""Writers blocked at the limit: the counter holds at most 2^64-2, so a write of 2^63 or more waits for a read.

What it does        `--workers` writers of such values and one reader: nearly every write blocks.
What must hold      each read returns exactly one write, those of one writer in order, and every writer finishes.
References          eventfd(2): "a write blocks until a read is performed"; fs/eventfd.c, eventfd_write
"""

import os
from contextlib import suppress

from toolkit.primitives.eventfd import EventFd
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    counter = stage.eventfd(blocking=True)
    lanes = stage.memory.array("struct evk_lane", stage.plan.workers)
    for _ in range(stage.plan.workers):
        stage.worker("writer", "eventfd_fill", writes=counter)
    reader = stage.worker("reader", "eventfd_empty", produces=False, reads=counter)
    reader.lanes, reader.lane_count = lanes, stage.plan.workers

    def drain() -> None:
        with suppress(OSError), EventFd.adopt(os.dup(counter)) as twin:
            os.set_blocking(twin.fileno(), False)
            while True:
                twin.read()

    stage.on_rescue(drain)

    def verify() -> list[Invariant]:
        finished = [worker.sent for worker in stage.of("writer")]
        taken = [lanes[index].received for index in range(stage.plan.workers)]
        return [equal("every-write-read-once", finished, taken)]

    return verify


STRESSOR = Stressor(prepare, each=("each-read-is-one-write", "writes-of-one-writer-in-order"))
