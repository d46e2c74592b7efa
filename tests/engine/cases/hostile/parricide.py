"""It kills the process that runs it.

What it does        Leaves a daemon behind and sends SIGKILL to its parent.
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
    lab.must("hostile-parricide", expected=1, observed=1)
    if os.fork() == 0:
        os.setsid()
        announce()
        while True:
            signal.pause()
    os.kill(os.getppid(), signal.SIGKILL)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-parricide", "It got this far.", "this test"),))
