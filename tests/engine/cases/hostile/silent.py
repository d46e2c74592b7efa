"""It checks nothing.

What it does        Returns.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""


CASE = Case(variants=(hostile,), claims=(Claim("hostile-silent", "It got this far.", "this test"),))
