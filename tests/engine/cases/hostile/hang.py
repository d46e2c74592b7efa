"""It never ends, and takes no hint.

What it does        Blocks every signal it can, starts a child that does the same, and waits.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os
import signal

from toolkit.cases.hostile._announce import announce

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-hang", expected=1, observed=1)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.fork()
    announce()
    while True:
        signal.pause()


CASE = Case(variants=(hostile,), claims=(Claim("hostile-hang", "It got this far.", "this test"),))
