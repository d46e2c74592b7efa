"""It burns the processor and never ends.

What it does        Runs in a circle.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-spin", expected=1, observed=1)
    while True:
        pass


CASE = Case(variants=(hostile,), claims=(Claim("hostile-spin", "It got this far.", "this test"),))
