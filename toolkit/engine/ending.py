"""How a case's process ended, and what that makes of the variant: the same for every way of starting one."""

import signal
from dataclasses import dataclass

from toolkit.engine.channel import Received
from toolkit.engine.plan import Job
from toolkit.engine.verdict import Outcome, judge
from toolkit.records import Status

OUTPUT_SHOWN = 300
"""Bytes of what a case printed that are kept for a failure's reason."""


@dataclass(frozen=True)
class Ended:
    """The end of a case's process.

    Attributes:
        received: what it said.
        exit_code: None when it had to be killed at its deadline.
        left_behind: what it started and left running.
    """

    received: Received
    exit_code: int | None
    left_behind: list[str]


def outcome_of(job: Job, ended: Ended, output: str, duration_ns: int) -> Outcome:
    """The variant's outcome; `output` is the end of what it printed."""
    received = ended.received
    reason: str | None
    noise = f"; it printed: {output}" if output else ""
    if ended.exit_code is None and received.ended is None:
        status, reason = Status.TIMEOUT, f"still running at its deadline{noise}"
    elif received.ended is None:
        status, reason = Status.ERROR, f"ended without a verdict ({_how(ended.exit_code)}){noise}"
    elif received.ended is not Status.PASS:
        status, reason = received.ended, received.reason
    elif ended.left_behind:
        status, reason = Status.ERROR, f"left running: {', '.join(ended.left_behind)}"
    elif received.garbage:
        status, reason = Status.ERROR, f"{received.garbage} packets on its channel are no messages"
    else:
        status, reason = judge(received.checks)
    return Outcome(job.variant, status, reason, duration_ns, tuple(received.checks), tuple(received.trace))


def _how(exit_code: int | None) -> str:
    if exit_code is None:
        return "it did not end"
    if exit_code < 0:
        return f"killed by {signal.Signals(-exit_code).name}"
    return f"exit status {exit_code if exit_code < 256 else hex(exit_code)}"  # Windows: an NTSTATUS, 0xc0000005 say
