"""It closes the channel.

What it does        Closes every descriptor it has.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-mute", expected=1, observed=1)
    os.closerange(0, 65536)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-mute", "It got this far.", "this test"),))
