"""It cannot run anywhere.

What it does        Skips itself.
Why it bites        A run of nothing but skips is not a pass.
What you will see   skip, with the reason.
References          toolkit/exits.py
"""

from toolkit.lab import Case, Claim, Lab


def whole(lab: Lab) -> None:
    """The whole case."""
    lab.skip_rest("no machine has a #flux capacitor")


CASE = Case(variants=(whole,), claims=(Claim("plain-flux", "It flows.", "a film"),))
