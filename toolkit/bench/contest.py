"""Rounds in which all contestants take turns, and what their times say."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

Run = Callable[[int], int]
"""Does so many operations and returns the nanoseconds they took, without set-up: CPU time, or real time of sleepers."""

MEANINGLESS: Final = 0.25  # a spread beyond this hides any difference one would care about


@dataclass(frozen=True)
class Contestant:
    """One way to do one work. `name` is such as `evkit`, `stdlib`; `run` does it."""

    name: str
    run: Run


@dataclass(frozen=True)
class Row:
    """One contestant's figures for one work.

    `ratio` is its time over that of `ratio_to` in the same round (median of the rounds): below 1 is faster. `spread` is
    the distance between the quartiles over the median. For peers that are programs, `ns_per_op` is what their own
    report gives.
    """

    name: str
    contestant: str
    ns_per_op: float
    spread: float
    rounds: int
    ops: int
    ratio_to: str | None = None
    ratio: float | None = None
    ratio_spread: float | None = None
    meaningless: bool | None = None
    note: str | None = None
    type: str = field(default="bench", init=False)


def compete(work: str, contestants: Sequence[Contestant], rounds: int, round_ns: int) -> list[Row]:
    """One Row a contestant; ratios are to the first one. `round_ns` is about how long each turn takes."""
    sizes = [_size(contestant.run, round_ns) for contestant in contestants]
    times: list[list[float]] = [[] for _ in contestants]
    for turn in range(rounds):
        order = range(len(contestants)) if turn % 2 == 0 else reversed(range(len(contestants)))
        for index in order:
            times[index].append(contestants[index].run(sizes[index]) / sizes[index])
    return [
        row_of(work, contestant.name, contestants[0].name, times[index], times[0], sizes[index])
        for index, contestant in enumerate(contestants)
    ]


def row_of(
    work: str,
    name: str,
    base: str,
    times: Sequence[float],
    base_times: Sequence[float],
    ops: int,
    note: str | None = None,
) -> Row:
    """The Row for a contestant's times per operation, round by round beside those of the base."""
    ratios = [mine / theirs for mine, theirs in zip(times, base_times, strict=True)]
    itself = name == base
    spread = spread_of(times)
    ratio_spread = spread_of(ratios)
    unclear = spread > MEANINGLESS if itself else ratio_spread > MEANINGLESS
    return Row(
        name=work,
        contestant=name,
        ns_per_op=round(statistics.median(times), 1),
        spread=round(spread, 3),
        rounds=len(times),
        ops=ops,
        ratio_to=None if itself else base,
        ratio=None if itself else round(statistics.median(ratios), 3),
        ratio_spread=None if itself else round(ratio_spread, 3),
        meaningless=True if unclear else None,
        note=note,
    )


def spread_of(values: Sequence[float]) -> float:
    """The distance between the quartiles over the median; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(values, n=4, method="inclusive")
    return (third - first) / middle if middle else 0.0


def _size(run: Run, round_ns: int) -> int:
    """How many operations take about `round_ns`, found by doubling."""
    ops = 16
    while (took := run(ops)) < round_ns // 8 and ops < 1 << 30:
        ops *= 2
    return max(1, int(ops * round_ns / max(took, 1)))
