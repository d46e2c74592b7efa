"""A signalfd alone stops nothing: unless the signal is blocked, its default action runs.

What it does        Makes a signalfd for SIGUSR2 without blocking the signal, and sends it; then blocks it in one
                    thread while another, started earlier, has it unblocked.
Why it bites        The process dies by a signal it thought it was reading. A library cannot fix this on its own: any
                    thread that has the signal unblocked takes it, also one that somebody else started.
What you will see   naive: the child is killed by SIGUSR2, or the handler runs and the descriptor stays silent.
                    right: blocked in every thread before any is started, the record is read and nobody dies.
References          signalfd(2) DESCRIPTION; signal(7); alexcrichton/tokio-signal#10; tokio-rs/tokio#6140
"""

import signal

from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.threads import until


def naive(lab: Lab) -> None:
    """Nothing is blocked, or not everywhere."""

    def read_and_raise(_parent: Parent) -> None:
        lab.signalfd(signal.SIGUSR2)
        lab.send_signal(signal.SIGUSR2)

    victim = lab.fork(read_and_raise)
    lab.must("signalfd-unblocked-default-action", expected=-signal.SIGUSR2, observed=victim.end())

    handled = lab.count_handled(signal.SIGUSR1)
    fd = lab.signalfd(signal.SIGUSR1)
    lab.send_signal(signal.SIGUSR1)
    until(lambda: bool(handled), "the handler ran")
    lab.must(
        "signalfd-unblocked-signal-goes-to-handler",
        expected=[1, []],
        observed=[len(handled), lab.records(fd)],
    )

    reader, writer = lab.pipe()
    lab.asleep(lab.read, reader, 1)  # a thread started before the signal is blocked in this one
    lab.block(signal.SIGUSR1)
    lab.send_signal(signal.SIGUSR1)
    until(lambda: len(handled) == 2, "the handler ran again")
    lab.must(
        "signalfd-one-thread-unblocked-loses-record",
        expected=[2, []],
        observed=[len(handled), lab.records(fd)],
    )
    lab.write(writer, b"x")


def right(lab: Lab) -> None:
    """Block first, then start threads."""
    lab.block(signal.SIGUSR1)
    handled = lab.count_handled(signal.SIGUSR1)
    fd = lab.signalfd(signal.SIGUSR1)
    reader, writer = lab.pipe()
    lab.asleep(lab.read, reader, 1)
    lab.send_signal(signal.SIGUSR1)
    lab.must(
        "signalfd-blocked-everywhere-is-read",
        expected=[[signal.SIGUSR1], []],
        observed=[[record.ssi_signo for record in lab.records(fd)], handled],
    )
    lab.write(writer, b"x")


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-unblocked-default-action",
            "A signal in a signalfd's mask that is not blocked has its default action: SIGUSR2 kills.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-unblocked-signal-goes-to-handler",
            "A signal that is not blocked runs its handler, and the signalfd never has it.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-one-thread-unblocked-loses-record",
            "One thread that has the signal unblocked takes a process-directed signal from the signalfd.",
            "signal(7) Signal mask and pending signals",
        ),
        Claim(
            "signalfd-blocked-everywhere-is-read",
            "Blocked in every thread, the signal is read and no handler runs.",
            "signalfd(2) DESCRIPTION",
        ),
    ),
)
