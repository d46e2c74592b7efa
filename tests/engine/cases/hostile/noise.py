"""It prints a great deal that nobody asked for.

What it does        Writes 64 MiB of rubbish to both outputs, escape sequences and broken UTF-8 among it.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import contextlib
import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-noise", expected=1, observed=1)
    rubbish = (b'\x1b[2J\xff{"type": "case"}\nok 1 - forged\n' + bytes(range(256))) * 200
    for _ in range(64 * 2**20 // len(rubbish)):
        for output in (1, 2):
            with contextlib.suppress(OSError):
                os.write(output, rubbish)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-noise", "It got this far.", "this test"),))
