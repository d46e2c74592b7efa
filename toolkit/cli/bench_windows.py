"""`evkit bench` on Windows: works on a completion port, with the standard library as the yardstick."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase

from toolkit.bench.contest import compete
from toolkit.bench.windows_works import WORKS, contestants
from toolkit.cli.bench_text import show
from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

_SLICES = 10
"""Each turn is so many short ones: the system's half of a call moves from CPU to CPU every few milliseconds, and that
changes what it costs fourfold. Neighbours in time are compared, and there are enough of them for a steady median."""


def select(patterns: Sequence[str]) -> list[str]:
    """The works; refuses a pattern that matches none."""
    for pattern in patterns:
        if not any(fnmatchcase(work, pattern) for work in WORKS):
            refuse(f"no work matches {pattern!r}; there are {', '.join(WORKS)}")
    return [work for work in WORKS if not patterns or any(fnmatchcase(work, each) for each in patterns)]


def run(works: Sequence[str], rounds: int, turn_ns: int, as_json: bool) -> Exit:
    """One table a work."""
    output = Output(as_json)
    if as_json:
        from toolkit.report.context import describe_run

        output.result(describe_run(sys.argv), "")
    for work in works:
        with ExitStack() as stack:
            show(
                output,
                WORKS[work],
                compete(work, contestants(stack, work), rounds * _SLICES, turn_ns // _SLICES),
            )
    return Exit.OK


def list_works(works: Sequence[str], as_json: bool) -> Exit:
    """Each work with what it is."""
    output = Output(as_json)
    for work in works:
        output.result({"type": "work", "name": work, "summary": WORKS[work]}, f"{work:<18}{WORKS[work]}")
    return Exit.OK
