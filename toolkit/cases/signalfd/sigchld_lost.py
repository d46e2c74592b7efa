"""Children end in a crowd, and one SIGCHLD stands for all of them.

What it does        Lets eight children end before the signalfd is read, then reaps: once a record, or until there is
                    nothing to reap.
Why it bites        SIGCHLD is a standard signal and coalesces. A container's init that calls waitpid once for each
                    record keeps zombies for ever, and its own wait for "all children ended" never comes true.
What you will see   naive: one record, one child reaped, seven zombies. right: the record is only a hint, and
                    waitpid(-1, WNOHANG) in a loop reaps all eight.
References          signal(7); waitpid(2); openSUSE/catatonit#4; LibertyGlobal/memcr#93; openpmix/openpmix#865;
                    systemd/systemd#7932; tokio-rs/tokio#6152
"""

import os
import signal

from toolkit.lab import Case, Claim, Lab
from toolkit.lab.zombies import end_unreaped, reap_all, reap_one
from toolkit.primitives.signalfd import SignalFd

_CHILDREN = 8


def naive(lab: Lab) -> None:
    """One waitpid for each record."""
    fd = _after_all_ended(lab)
    records = lab.records(fd)
    reaped = [pid for pid in (reap_one() for _ in records) if pid]
    zombies = reap_all()
    lab.must("signalfd-sigchld-coalesces-loop-waitpid", expected=1, observed=len(records), reason="records")
    lab.must(
        "signalfd-sigchld-coalesces-loop-waitpid",
        expected=[1, _CHILDREN - 1],
        observed=[len(reaped), len(zombies)],
        reason="reaped one a record, and zombies left",
    )


def right(lab: Lab) -> None:
    """waitpid until it says that nothing is left."""
    fd = _after_all_ended(lab)
    lab.records(fd)
    lab.must("signalfd-sigchld-reap-until-none", expected=_CHILDREN, observed=len(reap_all()))
    lab.must(
        "signalfd-sigchld-reap-until-none",
        expected="ECHILD",
        observed=lab.outcome(os.waitpid, -1, os.WNOHANG),
    )


def _after_all_ended(lab: Lab) -> SignalFd:
    lab.block(signal.SIGCHLD)
    fd = lab.signalfd(signal.SIGCHLD)
    end_unreaped(_CHILDREN)
    return fd


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-sigchld-coalesces-loop-waitpid",
            "Several children that ended before the read give one SIGCHLD record and as many zombies.",
            "signal(7) Queueing and delivery semantics for standard signals",
        ),
        Claim(
            "signalfd-sigchld-reap-until-none",
            "waitpid(-1, WNOHANG) in a loop after any SIGCHLD reaps every child that ended.",
            "waitpid(2) NOTES",
        ),
    ),
)
