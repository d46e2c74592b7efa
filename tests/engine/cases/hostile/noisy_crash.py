"""It prints rubbish and dies.

What it does        Writes escape sequences and broken UTF-8, and exits with status 3.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-noisy-crash", expected=1, observed=1)
    os.write(1, b"\x1b[2J\xff\x00 last words\n")
    os._exit(3)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-noisy-crash", "It got this far.", "this test"),))
