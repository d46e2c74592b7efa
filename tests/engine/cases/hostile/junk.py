"""It writes junk to the channel.

What it does        Finds its socket and sends what is no message, what almost is one, and what breaks parsers.
Why it bites        An engine that trusts its cases would be harmed by it.
What you will see   The case gets its verdict, and every other case is as it would be alone.
References          toolkit/engine
"""

import contextlib
import json
import os

from toolkit.lab import Case, Claim, Lab


def hostile(lab: Lab) -> None:
    """The whole case."""
    lab.must("hostile-junk", expected=1, observed=1)
    for number in range(3, 1024):
        for packet in JUNK:
            with contextlib.suppress(OSError):
                os.write(number, packet)


_ALMOST = {"claim": "hostile-junk", "kind": "must", "status": "pass"}
JUNK = (
    b"\xff\x00",
    b"[]",
    b"5",
    b'"check"',
    b'{"check": 5}',
    b'{"done": "nonsense", "reason": null}',
    b'{"done": "pass", "reason": 5}',
    b'{"trace": 5}',
    b"[" * 90_000,
    json.dumps({"check": _ALMOST | {"claim": 5}}).encode(),
    json.dumps({"check": _ALMOST | {"reason": ["x"]}}).encode(),
    json.dumps({"check": _ALMOST | {"status": "error"}}).encode(),
    json.dumps({"check": _ALMOST | {"observed": float("nan")}}).encode(),
)


CASE = Case(variants=(hostile,), claims=(Claim("hostile-junk", "It got this far.", "this test"),))
