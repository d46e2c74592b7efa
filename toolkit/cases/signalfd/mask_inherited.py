"""A child started while signals are blocked cannot be stopped with SIGTERM.

What it does        Blocks SIGTERM for a signalfd, starts a program, and sends it SIGTERM.
Why it bites        The blocked mask survives fork and exec, and no program expects to be started deaf: `kill` and
                    Ctrl-C do nothing, `systemctl stop` waits for its time-out, waits for SIGCHLD never end.
What you will see   naive: SIGTERM stays pending in the child and the child lives. right: the mask is restored between
                    fork and exec, and SIGTERM ends the child.
References          signalfd(2) Limitations; sigprocmask(2); ralphlange/procServ#48; dlang/phobos#7766; znc/znc#1590;
                    oven-sh/bun#38926; DOMjudge/domjudge#3669
"""

import signal

from toolkit.lab import Case, Claim, Lab

_WAIT_TO_BE_ENDED = """
import os, signal, sys
blocked = signal.SIGTERM in signal.pthread_sigmask(signal.SIG_BLOCK, [])
os.kill(os.getpid(), signal.SIGTERM)
print("alive, pending" if signal.SIGTERM in signal.sigpending() and blocked else "alive, not pending")
"""


def naive(lab: Lab) -> None:
    """Block, then exec."""
    lab.block(signal.SIGTERM)
    said = lab.python(_WAIT_TO_BE_ENDED)
    lab.must("signalfd-exec-blocked-mask-leaks", expected="alive, pending", observed=said)


def right(lab: Lab) -> None:
    """Block, fork, restore, exec."""
    lab.block(signal.SIGTERM)
    said = lab.python(_WAIT_TO_BE_ENDED, before=lambda: lab.unblock(signal.SIGTERM))
    lab.must(
        "signalfd-restored-mask-lets-child-end",
        expected=["", -signal.SIGTERM],
        observed=[said, lab.last_status],
        reason="what it printed, and how it ended",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-exec-blocked-mask-leaks",
            "A program started while SIGTERM is blocked has it blocked and is not ended by it.",
            "signalfd(2) Limitations; execve(2)",
        ),
        Claim(
            "signalfd-restored-mask-lets-child-end",
            "Restoring the mask between fork and exec lets SIGTERM end the program.",
            "signalfd(2) Limitations",
        ),
    ),
)
