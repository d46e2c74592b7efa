"""Children end in crowds: SIGCHLD coalesces, and yet every child is reaped exactly once.

What it does        forks `--workers` children that end at once, reads SIGCHLD from a signalfd and after each read
                    calls waitpid(-1, WNOHANG) until nobody is left; one operation is one such crowd.
What must hold      as many are reaped as were forked, each once, each with its own status.
What surprises      there are fewer records than children: one record must never be taken for one child.
References          signalfd(2), waitpid(2); signal(7)
"""

import signal

from toolkit.stress.result import Invariant
from toolkit.stress.signal_numbers import blocked_signalfd
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    crowd = stage.plan.workers
    reader = blocked_signalfd(stage, signal.SIGCHLD)
    slots = stage.memory.array("struct evk_slot", crowd)
    stage.worker("parent", "signal_reap", timed=True, reads=reader, slots=slots, slot_count=crowd)

    def verify() -> list[Invariant]:
        forked, reaped = stage.total("sent"), stage.total("received")
        stage.figures["children_per_record"] = reaped / max(1, stage.total("wakeups"))
        return [equal("as-many-reaped-as-forked", forked, reaped)]

    return verify


STRESSOR = Stressor(prepare, each=("each-child-reaped-once", "status-is-the-childs"), processes=False)
