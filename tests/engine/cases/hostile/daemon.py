"""It leaves a daemon behind.

What it does        Forks twice with setsid(2) between, and the grandchild waits for ever, holding the channel open.
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
    lab.must("hostile-daemon", expected=1, observed=1)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            announce()
            while True:
                signal.pause()
        os._exit(0)
    os.wait()


CASE = Case(variants=(hostile,), claims=(Claim("hostile-daemon", "It got this far.", "this test"),))
