"""Unblock it before you read it, and the handler has it.

What it does        Leaves a signal pending and readable, unblocks it, and reads; and sends an unblocked signal to a
                    thread that sleeps in a blocking read of the signalfd.
Why it bites        A library that unblocks a signal "for a moment" empties somebody else's signalfd. The other way
                    round surprises too: a sleeping reader gets even a signal that is not blocked.
What you will see   The handler runs and the record is gone; the sleeping reader returns the record and no handler runs;
                    closing without reading leaves the signal pending for the handler.
References          signalfd(2); kernel/signal.c (complete_signal wakes the thread that wants it)
"""

import signal

from toolkit.ffi.flags import EPOLLIN, SFD_CLOEXEC
from toolkit.lab import Case, Claim, Lab, Parent

_NUMBER = signal.SIGUSR1


def unblocking(lab: Lab) -> None:
    """Before reading, while reading, and after closing."""
    handled = lab.count_handled(_NUMBER)
    lab.block(_NUMBER)
    fd = lab.signalfd(_NUMBER)
    lab.send_signal(_NUMBER)
    readable = lab.poll(fd)
    lab.unblock(_NUMBER)
    lab.must(
        "signalfd-unblocking-before-read-delivers-to-handler",
        expected=[EPOLLIN, [_NUMBER], []],
        observed=[readable, handled, lab.records(fd)],
    )
    lab.block(_NUMBER)
    lab.send_signal(_NUMBER)
    lab.close(fd)
    pending = lab.pending()
    lab.unblock(_NUMBER)
    lab.must(
        "signalfd-close-leaves-signal-pending",
        expected=[[_NUMBER], 2],
        observed=[pending, len(handled)],
        reason="pending after the close, and how often the handler ran once unblocked",
    )
    _sleeping_reader(lab)


def _sleeping_reader(lab: Lab) -> None:
    def sleep_in_read(parent: Parent) -> None:
        handled = lab.count_handled(_NUMBER)
        lab.unblock(_NUMBER)
        fd = lab.signalfd(_NUMBER, flags=SFD_CLOEXEC)
        parent.report("about to read")
        numbers = [info.ssi_signo for info in fd.read()]
        parent.report([numbers, handled])

    child = lab.fork(sleep_in_read)
    child.expect()
    child.until_asleep()
    child.kill(_NUMBER)
    lab.must(
        "signalfd-unblocked-signal-while-blocked-in-read",
        expected=[[_NUMBER], []],
        observed=child.expect(),
        reason="what the read gave, and what the handler got",
    )


CASE = Case(
    variants=(unblocking,),
    claims=(
        Claim(
            "signalfd-unblocking-before-read-delivers-to-handler",
            "Unblocking a pending signal runs its handler, and the signalfd no longer has it.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-close-leaves-signal-pending",
            "Closing the signalfd leaves an unread signal pending.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-unblocked-signal-while-blocked-in-read",
            "A thread asleep in a read of the signalfd gets the record even of a signal that is not blocked.",
            "observed; fs/signalfd.c signalfd_dequeue",
        ),
    ),
)
