"""Ten sent, one received: standard signals do not queue.

What it does        Blocks SIGUSR1 and a real-time signal, sends each ten times, and reads the signalfd.
Why it bites        A standard signal is one pending bit. Whoever counts work by counting SIGUSR1 loses nine of ten,
                    and no error is reported anywhere.
What you will see   naive: one record for ten SIGUSR1. right: ten records of the real-time signal, in the order sent,
                    each with its value; all of them in one read if the buffer is large enough.
References          signal(7) Queueing and delivery semantics; smol-rs/async-signal#20; vibe-d/eventcore#122
"""

import signal

from toolkit.lab import Case, Claim, Lab

_TIMES = 10


def naive(lab: Lab) -> None:
    """SIGUSR1 as a counter."""
    lab.block(signal.SIGUSR1)
    fd = lab.signalfd(signal.SIGUSR1)
    for _ in range(_TIMES):
        lab.send_signal(signal.SIGUSR1)
    records = lab.records(fd)
    lab.must("signalfd-standard-signals-coalesce", expected=1, observed=len(records))
    lab.must(
        "signalfd-standard-signals-coalesce", expected=[], observed=lab.records(fd), reason="a second read"
    )


def right(lab: Lab) -> None:
    """A real-time signal, each with a value."""
    lab.block(signal.SIGRTMIN)
    fd = lab.signalfd(signal.SIGRTMIN)
    for value in range(_TIMES):
        lab.queue(signal.SIGRTMIN, value)
    lab.must(
        "signalfd-realtime-signals-queue-fifo",
        expected=list(range(_TIMES)),
        observed=[record.ssi_int for record in lab.records(fd)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-standard-signals-coalesce",
            "A standard signal sent ten times before it is read gives one record.",
            "signal(7) Queueing and delivery semantics for standard signals",
        ),
        Claim(
            "signalfd-realtime-signals-queue-fifo",
            "A real-time signal queued ten times gives ten records, in the order sent.",
            "signal(7) Real-time signals",
        ),
    ),
)
