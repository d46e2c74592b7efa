"""It forks, exits and forks on, so that its process is never the one you saw.

What it does        A grandchild in its own session forks and exits in a circle.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-runaway", expected=1, observed=1)
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork() != 0:
                os._exit(0)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-runaway", "It got this far.", "this test"),))
