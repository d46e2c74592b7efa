"""Runs the works and peers that were chosen, and prints each as a small table."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase

from toolkit.bench import reference
from toolkit.bench.caveats import caveats
from toolkit.bench.contest import compete
from toolkit.bench.programs import PEERS, Peer, installed, race
from toolkit.bench.works import WORKS, contestants, missing
from toolkit.cli.bench_text import show
from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

_PEER_ROUNDS = 3
_PEER_SECONDS = 1


def select(patterns: Sequence[str], peers: bool) -> tuple[list[str], list[Peer]]:
    """The works and the installed peers; refuses a pattern that matches neither, and a peer that is not here."""
    programs = {peer.program for peer in PEERS}
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in (*WORKS, *programs)):
            refuse(f"no work or peer matches {pattern!r}; there are {', '.join((*WORKS, *sorted(programs)))}")
    works = [work for work in WORKS if not patterns or any(fnmatchcase(work, each) for each in patterns)]
    wanted = [peer for peer in PEERS if peers or any(fnmatchcase(peer.program, each) for each in patterns)]
    here = installed(wanted)
    for name in sorted({peer.program for peer in wanted} - {peer.program for peer in here}):
        if name in patterns:
            refuse(f"{name} is not installed", Exit.LACKS)
    return works, here


def refuse_absurd(rounds: int, turn_ns: int) -> None:
    """Refuses what would measure nothing or never end."""
    if not 1 <= rounds <= 1000:
        refuse(f"--rounds {rounds} is out of range; it goes from 1 to 1000")
    if not 100_000 <= turn_ns <= 10 * 10**9:
        refuse("--turn is out of range; it goes from 100us to 10s")


def list_all(works: Iterable[str], programs: Iterable[Peer], as_json: bool) -> Exit:
    """Works with what they are, peers with their commands."""
    output = Output(as_json)
    for work in works:
        output.result({"type": "work", "name": work, "summary": WORKS[work]}, f"{work:<20}{WORKS[work]}")
    for peer in programs:
        output.result(
            {"type": "work", "name": peer.stressor, "summary": peer.title}, f"{peer.stressor:<20}{peer.title}"
        )
    return Exit.OK


def run(works: Sequence[str], programs: Sequence[Peer], rounds: int, turn_ns: int, as_json: bool) -> Exit:
    """Everything, one table after the other; warnings about this machine go to stderr first."""
    output = Output(as_json)
    if as_json:
        from toolkit.report.context import describe_run

        output.result(describe_run(sys.argv), "")
    for warning in caveats():
        _say(warning)
    if works and missing():
        _say(f"not installed, so not compared: {', '.join(missing())}")
    with reference.built() as program:
        if works and program is None:
            _say("no C compiler here: the standard library is the yardstick")
        for work in works:
            with ExitStack() as stack:
                field = contestants(stack, work, program)
                if field:
                    show(output, WORKS[work], compete(work, field, rounds, turn_ns))
                else:
                    _say(f"{work} needs a C compiler: left out")
    for peer in programs:
        show(output, f"{peer.stressor} ({peer.note})", list(race(peer, _PEER_ROUNDS, _PEER_SECONDS)))
    return Exit.OK


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"evkit bench: {text}\n")
