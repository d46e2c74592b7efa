"""It never stops writing to the channel.

What it does        Sends valid trace lines for ever.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import contextlib
import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-flood", expected=1, observed=1)
    while True:
        for number in range(3, 1024):
            with contextlib.suppress(OSError):
                while True:
                    os.write(number, b'{"trace": "' + b"x" * 50_000 + b'"}')


CASE = Case(variants=(hostile,), claims=(Claim("hostile-flood", "It got this far.", "this test"),))
