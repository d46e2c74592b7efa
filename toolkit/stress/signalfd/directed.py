"""Signals directed at one thread are seen by that thread alone, through its own signalfd.

What it does        `--workers` threads in a ring, each sends numbered signals to the next one and reads its own.
What must hold      nobody reads a signal meant for another thread, although all wait for the same number; every
                    signal arrives, in order.
References          signal(7) "thread-directed", rt_tgsigqueueinfo(2), signalfd(2); kernel/signal.c, dequeue_signal
"""

from toolkit.stress.result import Invariant
from toolkit.stress.signal_numbers import QUEUED, blocked_signalfd
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    stage.lanes(stage.plan.workers)
    for _ in range(stage.plan.workers):
        reader = blocked_signalfd(stage, QUEUED)
        stage.worker("thread", "signal_directed", reads=reader, signal=QUEUED, **stage.all_lanes)

    def verify() -> list[Invariant]:
        sent = [worker.sent for worker in stage.of("thread")]
        return [equal("every-signal-sent-arrives", sent, [lane.received for lane in stage.each_lane()])]

    return verify


STRESSOR = Stressor(
    prepare, each=("only-the-thread-meant-sees-it", "signals-of-one-sender-in-order"), processes=False
)
