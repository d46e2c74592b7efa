"""It dies by a signal.

What it does        Sends itself SIGSEGV.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os
import signal

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-crash", expected=1, observed=1)
    os.kill(os.getpid(), signal.SIGSEGV)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-crash", "It got this far.", "this test"),))
