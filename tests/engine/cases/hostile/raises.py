"""It raises what no case should.

What it does        Raises SystemExit.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-raises", expected=1, observed=1)
    raise SystemExit("nothing to see")


CASE = Case(variants=(hostile,), claims=(Claim("hostile-raises", "It got this far.", "this test"),))
