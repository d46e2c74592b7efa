"""Each worker writes a number to a counter of its own and reads it back.

What it does        one write(2) and one read(2) an operation, on one thread, without a wake-up: the cost of the
                    calls.
What must hold      the read returns the number that was written.
References          eventfd(2); fs/eventfd.c
"""

from toolkit.stress.stage import Stage, Stressor, Verify


def prepare(stage: Stage) -> Verify:
    for _ in range(stage.plan.workers):
        counter = stage.eventfd()
        stage.worker("ping", "eventfd_ping", reads=counter, writes=counter)

    return list


STRESSOR = Stressor(prepare, each=("read-returns-what-was-written",))
