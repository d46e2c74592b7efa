"""A stress result as text for people: verdict, invariants, figures, workers, and the histogram drawn in text."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from toolkit.stress.histogram import Range
from toolkit.stress.result import Invariant, StressResult, Threshold, WorkerResult

if TYPE_CHECKING:
    from toolkit.stress.glimpse import Glimpse

_BAR = 40
_MOST_ROWS = 20
_MOST_WORKERS = 16


def time_text(ns: float) -> str:
    """Three digits and a unit: `953 ns`, `5.23 us`, `1.20 s`."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            value = ns / size
            return (
                f"{value:.2f} {unit}"
                if value < 10
                else f"{value:.1f} {unit}"
                if value < 100
                else f"{value:.0f} {unit}"
            )
    return f"{ns:.0f} ns"


def live_line(glimpse: "Glimpse") -> str:
    """One line while it runs: how far, how fast, p99, whether the invariants hold."""
    planned = f" of {glimpse.planned_ns / 1e9:g} s" if glimpse.planned_ns is not None else " s"
    p99 = f"  p99 {time_text(glimpse.p99_ns)}" if glimpse.p99_ns is not None else ""
    state = "holding" if glimpse.ok else "BROKEN"
    return (
        f"{glimpse.name}: {glimpse.elapsed_ns / 1e9:.1f}{planned}  {glimpse.ops_per_s:,.0f}/s{p99}  {state}"
    )


def describe(result: StressResult) -> str:
    """Everything about one result."""
    return "\n".join(_lines(result))


def _lines(result: StressResult) -> Iterator[str]:
    verdict = "ok" if result.ok else "FAILED"
    early = " (interrupted)" if result.interrupted else ""
    yield (
        f"{result.name}: {verdict}{early}  {result.ops_per_s:,.0f} ops/s  "
        f"({result.ops:,} in {time_text(result.ran_ns)}, seed {result.seed})"
    )
    if result.error is not None:
        yield f"  error       {result.error}"
    for invariant in result.invariants:
        yield f"  {'holds' if invariant.ok else 'BROKEN':10}  {_invariant(invariant)}"
    for threshold in result.thresholds:
        yield f"  {'reached' if threshold.ok else 'MISSED':10}  {threshold_text(threshold)}"
    if not result.ok and result.repeat is not None:
        yield f"  repeat with {result.repeat}"
    for name, value in (result.figures or {}).items():
        yield f"  {'figure':10}  {name.replace('_', ' ')} {_number(value)}"
    if result.latency_ns is not None:
        figures = result.latency_ns
        for label, names in (("latency", ("min", "p50", "p90")), ("", ("p99", "p999", "max"))):
            shown = (f"{name:<5}{time_text(getattr(figures, name)):<9}" for name in names)
            yield f"  {label:10}  {'  '.join(shown)}".rstrip()
    yield from _workers(result.per_worker)
    yield from _histogram(result.histogram or ())


def _invariant(invariant: Invariant) -> str:
    if invariant.ok:
        return invariant.name
    reason = f"; {invariant.reason}" if invariant.reason else ""
    return f"{invariant.name}: expected {invariant.expected}, observed {invariant.observed}{reason}"


def threshold_text(threshold: Threshold) -> str:
    """`max-p99: 7.20 ms, the limit is 5.00 ms: missed by 44 %`."""
    if threshold.observed is None:
        return f"{threshold.name}: {threshold.reason}"
    show = _UNITS.get(threshold.name, _number)
    text = f"{threshold.name}: {show(threshold.observed)}, the limit is {show(threshold.limit)}"
    if threshold.missed_by is not None:
        text += f": missed by {_percent(threshold.missed_by)}"
    return f"{text} ({threshold.reason})" if threshold.reason else text


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


_UNITS: dict[str, Callable[[float], str]] = {
    "max-p99": time_text,
    "max-p999": time_text,
    "max-regression": _percent,
}


def _workers(workers: Sequence[WorkerResult]) -> Iterator[str]:
    """A table with a column for each counter that any worker used, each as wide as what it holds."""
    names = [
        name
        for name in (
            "ops",
            "sent",
            "received",
            "share",
            "wakeups",
            "spurious",
            "again",
            "interrupted",
            "stale",
            "mixed",
        )
        if any(getattr(worker, name) for worker in workers)
    ]
    if all(worker.ops == worker.sent for worker in workers):
        names = [name for name in names if name != "sent"]
    timed = any(worker.p99_ns is not None for worker in workers)
    rows = [["worker", "role", *names, *(["p99"] if timed else [])]]
    for worker in workers[:_MOST_WORKERS]:
        cells = [_cell(getattr(worker, name)) for name in names]
        if timed:
            cells.append(time_text(worker.p99_ns) if worker.p99_ns is not None else "")
        rows.append([str(worker.index), worker.role, *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        aligned = (
            f"{cell:<{width}}" if index == 1 else f"{cell:>{width}}"
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"  {'  '.join(aligned)}".rstrip()
    if len(workers) > _MOST_WORKERS:
        yield f"  ... and {len(workers) - _MOST_WORKERS} more (--json has them all)"


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1%}" if isinstance(value, float) else f"{value:,}"


def _histogram(ranges: Sequence[Range]) -> Iterator[str]:
    """One row a range, neighbours joined until they fit; a bar's length is the share of the fullest row."""
    rows = list(ranges)
    while len(rows) > _MOST_ROWS:
        rows = [
            Range(pair[0].from_ns, pair[-1].to_ns, sum(each.count for each in pair))
            for pair in (rows[i : i + 2] for i in range(0, len(rows), 2))
        ]
    fullest = max((row.count for row in rows), default=0)
    for row in rows:
        bar = "#" * max(1, round(_BAR * row.count / fullest))
        yield f"  {time_text(row.from_ns):>10} to {time_text(row.to_ns):<10} {bar:<{_BAR}} {row.count:,}"
