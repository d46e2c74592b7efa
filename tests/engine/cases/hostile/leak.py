"""It leaves descriptors open.

What it does        Opens a hundred inheritable descriptors, and leaves them to whoever comes.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-leak", expected=1, observed=1)
    for _ in range(100):
        os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-leak", "It got this far.", "this test"),))
