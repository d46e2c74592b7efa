"""It ends early, as if all were well.

What it does        Calls _exit(0) after its first check.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-early", expected=1, observed=1)
    os._exit(0)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-early", "It got this far.", "this test"),))
