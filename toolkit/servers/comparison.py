"""Runs servers one after another under the same load, in rounds, and puts them side by side."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from toolkit.bench.contest import spread_of
from toolkit.servers.contestants import Contestant, Started, dispatches, models, peers, started
from toolkit.servers.options import ServeOptions

# wrk's own summary is for people; its script hook gives the numbers (wrk's SCRIPTING file)
_WRK_SCRIPT = """
done = function(summary, latency, requests)
  local e = summary.errors
  io.stderr:write(string.format('{"answered": %d, "us": %d, "p50_us": %d, "p99_us": %d, "errors": %d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""
_WRK_DISTINCT = """
local number = 0
request = function()
  number = number + 1
  return 'GET / HTTP/1.1\\r\\nHost: ' .. wrk.headers['Host'] .. '\\r\\nX-Number: ' .. number .. '\\r\\n\\r\\n'
end
"""


class LoadFailedError(OSError):
    """wrk or `evkit load` could not run; the message has its last words."""


@dataclass(frozen=True)
class ComparisonPlan:
    """`turn_ns` is how long each is loaded in each round. `per_connection` closes connections after so many answers.
    With `distinct` no two requests are the same, so that each is parsed; else models, asyncio and uvloop remember the
    answer to bytes that they have parsed before, and C parses all the same."""

    connections: int = 64
    turn_ns: int = 1_000_000_000
    rounds: int = 3
    per_connection: int | None = None
    distinct: bool = False


@dataclass(frozen=True)
class Row:
    """One server: medians of the rounds. `spread` is the distance between the quartiles of its rates over their median.

    `cpu_ratio` and `rate_ratio` are medians of the round-by-round ratios to the C server, when it took part.
    """

    name: str
    rounds: int
    answered_per_s: float
    spread: float
    p50_ns: int
    p99_ns: int
    cpu_ns_per_request: float
    errors: int
    cpu_ratio: float | None = None
    rate_ratio: float | None = None
    queue_longest: int | None = None
    lost: int | None = None
    ledgers_hold: bool | None = None
    load_by: str = "evkit"
    type: str = field(default="comparison", init=False)


@dataclass(frozen=True)
class _Turn:
    rate: float
    p50_ns: int
    p99_ns: int
    cpu_ns_per_request: float
    errors: int


def compare(
    options: ServeOptions, plan: ComparisonPlan, only_dispatch: bool, progress: Callable[[str], None]
) -> Iterator[Row]:
    """One row a server, in the order they were started; with `only_dispatch` half-sync by each policy.

    All run throughout, and are loaded in turn, each round beginning with another, so that what disturbs the machine
    disturbs everybody.

    Raises:
        OSError: a server did not start, or the load could not run.
    """
    with tempfile.TemporaryDirectory() as folder:
        contestants = (
            dispatches(options) if only_dispatch else [*peers(options, Path(folder)), *models(options)]
        )
        contestants.sort(key=_is_of_processes)  # beside what they are compared with: a machine's speed drifts
        wrk = None if plan.per_connection else shutil.which("wrk")
        load = _by_wrk(wrk, Path(folder), plan) if wrk else _by_evkit(plan)
        turns: dict[str, list[_Turn]] = {contestant.name: [] for contestant in contestants}
        with started(contestants) as running:
            for number in range(plan.rounds):
                for one in running[number % len(running) :] + running[: number % len(running)]:
                    progress(f"round {number + 1} of {plan.rounds}: {one.contestant.name}")
                    turns[one.contestant.name].append(_turn(one, load))
            finals = {one.contestant.name: one.end() for one in running}
        for contestant in contestants:
            yield _row(contestant, turns, finals[contestant.name], "wrk" if wrk else "evkit")


def _turn(one: Started, load: Callable[[int], tuple[int, float, int, int, int]]) -> _Turn:
    before = one.cpu_ns()
    answered, seconds, p50_ns, p99_ns, errors = load(one.port)
    spent = one.cpu_ns() - before
    return _Turn(answered / seconds, p50_ns, p99_ns, spent / max(1, answered), errors)


def _by_evkit(plan: ComparisonPlan) -> Callable[[int], tuple[int, float, int, int, int]]:
    options = ["--connections", str(plan.connections), "--duration", f"{plan.turn_ns}ns", "--json"]
    if plan.distinct:
        options.append("--distinct")
    if plan.per_connection:
        options += ["--per-connection", str(plan.per_connection)]

    def load(port: int) -> tuple[int, float, int, int, int]:
        command = [sys.executable, "-m", "toolkit", "load", f"127.0.0.1:{port}", *options]
        done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603  our own
        figures = _figures(done, done.stdout)
        latency = figures["latency_ns"]
        errors = sum(figures["errors"].values())
        seconds = figures["ran_ns"] / 1e9
        return figures["answered"], seconds, latency.get("p50", 0), latency.get("p99", 0), errors

    return load


def _by_wrk(
    wrk: str, folder: Path, plan: ComparisonPlan
) -> Callable[[int], tuple[int, float, int, int, int]]:
    script = folder / "figures.lua"
    script.write_text(_WRK_SCRIPT + (_WRK_DISTINCT if plan.distinct else ""))
    seconds = max(1, round(plan.turn_ns / 1e9))
    options = ["-t1", f"-c{plan.connections}", f"-d{seconds}s", "-s", str(script)]

    def load(port: int) -> tuple[int, float, int, int, int]:
        command = [wrk, *options, f"http://127.0.0.1:{port}/"]
        done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603  wrk from PATH
        found = _figures(done, done.stderr)
        us_ns = 1000
        return (
            found["answered"],
            found["us"] / 1e6,
            found["p50_us"] * us_ns,
            found["p99_us"] * us_ns,
            found["errors"],
        )

    return load


def _figures(done: subprocess.CompletedProcess[bytes], said: bytes) -> dict[str, Any]:
    """The JSON object in the last line of what the load said."""
    try:
        figures: dict[str, Any] = json.loads(said.splitlines()[-1])
    except (IndexError, ValueError) as error:
        words = b" ".join((done.stderr or done.stdout).split()[-20:]).decode(errors="replace")
        raise LoadFailedError(f"the load ended with {done.returncode} and no figures: {words}") from error
    return figures


def _row(
    contestant: Contestant, turns: dict[str, list[_Turn]], final: dict[str, object], load_by: str
) -> Row:
    mine = turns[contestant.name]
    rates = [turn.rate for turn in mine]
    reference = turns.get("C reuseport, 2 processes" if _is_of_processes(contestant) else "C epoll")
    queue = final.get("queue")
    lost, holds = final.get("lost"), final.get("ledgers_hold")
    return Row(
        name=contestant.name,
        rounds=len(mine),
        answered_per_s=round(median(rates), 1),
        spread=round(spread_of(rates), 3),
        p50_ns=int(median(turn.p50_ns for turn in mine)),
        p99_ns=int(median(turn.p99_ns for turn in mine)),
        cpu_ns_per_request=round(median(turn.cpu_ns_per_request for turn in mine), 1),
        errors=sum(turn.errors for turn in mine),
        cpu_ratio=_ratio(
            [(a.cpu_ns_per_request, b.cpu_ns_per_request) for a, b in zip(mine, reference, strict=True)]
        )
        if reference
        else None,
        rate_ratio=_ratio([(a.rate, b.rate) for a, b in zip(mine, reference, strict=True)])
        if reference
        else None,
        queue_longest=queue["longest"] if isinstance(queue, dict) else None,
        lost=lost if isinstance(lost, int) else None,
        ledgers_hold=holds if isinstance(holds, bool) else None,
        load_by=load_by,
    )


def _is_of_processes(contestant: Contestant) -> bool:
    return "processes" in contestant.name


def _ratio(pairs: list[tuple[float, float]]) -> float:
    return round(median(mine / max(theirs, 1e-9) for mine, theirs in pairs), 3)
