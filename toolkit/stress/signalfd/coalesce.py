"""Standard signals sent many times arrive at least once, and never more often than they were sent.

What it does        `--workers` threads send SIGUSR2 to the process as fast as they can, one reads it from a signalfd.
What must hold      at least one arrives, and one after the last was sent; never more than were sent.
What surprises      one read may return several records of one standard signal: each was taken before the next was
                    sent.
References          signal(7): "standard signals do not queue"; kernel/signal.c, legacy_queue
"""

from toolkit.stress.result import Invariant
from toolkit.stress.signal_numbers import STANDARD, blocked_signalfd
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    reader = blocked_signalfd(stage, STANDARD)
    for _ in range(stage.plan.workers):
        stage.worker("sender", "signal_send", signal=STANDARD)
    stage.worker("receiver", "signal_gather", produces=False, reads=reader, signal=STANDARD)

    def verify() -> list[Invariant]:
        sent, received = stage.total("sent"), stage.total("received")
        stage.figures["sent_per_received"] = sent / max(1, received)
        [receiver] = stage.of("receiver")
        return [
            Invariant("received-at-least-once", received >= min(1, sent), "at least 1", received),
            Invariant("received-at-most-as-sent", received <= sent, f"at most {sent}", received),
            equal("one-arrives-after-the-last-was-sent", sent, receiver.received_sum),
        ]

    return verify


STRESSOR = Stressor(prepare, processes=False)
