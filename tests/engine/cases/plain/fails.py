"""One of its variants differs.

What it does        Checks what is not so, in its naive variant; its right variant passes.
Why it bites        A run has to tell of it, and a list of known differences may know it.
What you will see   naive: one check fails, one passes. right: both pass.
References          toolkit/report; toolkit/known
"""

from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """Expects too much."""
    lab.must("plain-sum", expected=5, observed=4, reason="two and two")
    lab.must("plain-order", expected=1, observed=1)


def right(lab: Lab) -> None:
    """Expects what is so."""
    lab.must("plain-sum", expected=4, observed=4)
    lab.record("plain-order", "any")


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim("plain-sum", "Two and two are five.", "a novel"),
        Claim("plain-order", "One is one.", "this test"),
    ),
)
