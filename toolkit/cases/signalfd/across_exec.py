"""A pending signal goes through exec, and so does the descriptor that reads it.

What it does        Starts a program with a signal pending and a signalfd without close-on-exec.
Why it bites        What the old program left pending is delivered to the new one: an unread SIGTERM or SIGCHLD becomes
                    the next program's surprise.
What you will see   The new program reads the record from the same number.
References          signalfd(2) execve(2) semantics; signal(7)
"""

import signal
import sys

from toolkit.lab import Case, Claim, Lab

_READ_ONE = """
import os
print(int.from_bytes(os.read({fd}, 128)[:4], "{order}"))
"""


def across_exec(lab: Lab) -> None:
    """One signal, sent by the child to itself before exec."""
    lab.block(signal.SIGUSR2)
    fd = lab.signalfd(signal.SIGUSR2, flags=0)
    said = lab.python(
        _READ_ONE.format(fd=fd.fileno(), order=sys.byteorder),
        keep=[fd.fileno()],
        before=lambda: lab.send_signal(signal.SIGUSR2),
    )
    lab.must("signalfd-exec-pending-survives", expected=str(int(signal.SIGUSR2)), observed=said)


CASE = Case(
    variants=(across_exec,),
    claims=(
        Claim(
            "signalfd-exec-pending-survives",
            "A signal pending before execve is read by the new program from the inherited signalfd.",
            "signalfd(2) execve(2) semantics",
        ),
    ),
)
