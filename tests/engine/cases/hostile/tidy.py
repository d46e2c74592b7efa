"""It finds its process as a case may count on it.

What it does        Looks at its descriptors, its signal mask and its children.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os
import signal

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    with open(os.devnull) as lowest:  # open(2) returns the lowest free number
        lab.must("hostile-tidy", expected=3, observed=lowest.fileno())
    lab.must("hostile-tidy", expected=["ok"] * 3, observed=[lab.outcome(os.fstat, fd) for fd in (0, 1, 2)])
    lab.must("hostile-tidy", expected=[], observed=sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    lab.must("hostile-tidy", expected=True, observed=signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
    lab.must("hostile-tidy", expected="ECHILD", observed=lab.outcome(os.wait))


CASE = Case(variants=(hostile,), claims=(Claim("hostile-tidy", "It got this far.", "this test"),))
