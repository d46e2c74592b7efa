"""Real-time signals queue, up to a limit that is shared by all of a user's processes.

What it does        Lowers RLIMIT_SIGPENDING and queues until it is refused; then lets a child queue 500 numbered
                    signals, retrying at the limit, while the parent reads.
Why it bites        sigqueue fails with EAGAIN when the receiver is slow, and a sender that ignores it loses messages.
                    The limit counts per user, so another program can use it up.
What you will see   EAGAIN at the limit with all queued records still readable; with retries, all 500 in order.
References          sigqueue(3); getrlimit(2) RLIMIT_SIGPENDING; signal(7)
"""

import os
import resource
import signal

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.limits import limited, queued_signals

_NUMBER = signal.SIGRTMIN
_ROOM = 5
_ATTEMPTS = 200
_FLOOD = 500


def queue_limit(lab: Lab) -> None:
    """The refusal, then the flood."""
    lab.block(_NUMBER)
    fd = lab.signalfd(_NUMBER)
    with limited(resource.RLIMIT_SIGPENDING, queued_signals() + _ROOM):
        outcomes = _until_refused(lab)
    accepted = list(range(outcomes.count("ok")))
    lab.must(
        "signalfd-rlimit-sigpending-sigqueue-eagain",
        expected=["EAGAIN", accepted],
        observed=[outcomes[-1], [record.ssi_int for record in lab.records(fd, _ATTEMPTS)]],
        reason="the last attempt, and what was read of those accepted",
    )
    _flood(lab)


def _until_refused(lab: Lab) -> list[str]:
    """Outcomes up to the first that is not ok: how many fit depends on what the user's other processes queue."""
    outcomes = ["ok"]
    while outcomes[-1] == "ok" and len(outcomes) <= _ATTEMPTS:
        outcomes.append(lab.outcome(lab.queue, _NUMBER, len(outcomes) - 1))
    return outcomes[1:]


def _flood(lab: Lab) -> None:
    fd = lab.signalfd(_NUMBER)
    parent_pid = os.getpid()

    def send_all(parent: Parent) -> None:
        refused = 0
        with limited(resource.RLIMIT_SIGPENDING, queued_signals() + 50):
            for value in range(_FLOOD):
                while lab.outcome(lab.queue, _NUMBER, value, parent_pid) == "EAGAIN":
                    refused += 1
                    os.sched_yield()
        parent.report(refused)

    child = lab.fork(send_all)
    received: list[int] = []
    while len(received) < _FLOOD and lab.poll(fd, within=5.0) == EPOLLIN:
        received += [record.ssi_int for record in lab.records(fd)]
    lab.must(
        "signalfd-rt-flood-no-loss-up-to-rlimit",
        expected="0 to 499 in order",
        observed="0 to 499 in order" if received == list(range(_FLOOD)) else received[:20],
    )
    lab.record("signalfd-rt-flood-no-loss-up-to-rlimit", child.expect(), "how often sigqueue said EAGAIN")


CASE = Case(
    variants=(queue_limit,),
    claims=(
        Claim(
            "signalfd-rlimit-sigpending-sigqueue-eagain",
            "At RLIMIT_SIGPENDING sigqueue fails with EAGAIN, and what is queued stays readable.",
            "sigqueue(3) ERRORS; getrlimit(2)",
        ),
        Claim(
            "signalfd-rt-flood-no-loss-up-to-rlimit",
            "A sender that retries on EAGAIN loses none of its real-time signals, and they arrive in order.",
            "signal(7) Real-time signals",
        ),
    ),
)
