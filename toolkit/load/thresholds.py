"""What a load run must reach, and by how much it did not."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolkit.load.plan import LoadFigures


@dataclass(frozen=True)
class Thresholds:
    """`None` is no threshold. Durations are nanoseconds."""

    min_rate: float | None = None
    max_p99_ns: int | None = None
    max_p999_ns: int | None = None
    max_errors: int | None = None


def misses(figures: LoadFigures, wanted: Thresholds) -> Iterator[str]:
    """One line for each threshold that was missed, and for what is never right: nothing answered, answers mixed up."""
    if not figures.answered:
        yield "nothing was answered"
    if figures.misdelivered:
        yield f"{figures.misdelivered} answers were meant for another request"
    if wanted.min_rate is not None and figures.answered_per_s < wanted.min_rate:
        share = 100 - 100 * figures.answered_per_s / wanted.min_rate
        yield f"{figures.answered_per_s:.0f} requests/s, {share:.1f} % below --min-rate {wanted.min_rate:.0f}"
    latency = figures.latency_ns
    for name, observed, limit in (
        ("p99", latency.p99, wanted.max_p99_ns),
        ("p999", latency.p999, wanted.max_p999_ns),
    ):
        if limit is not None and observed is not None and observed > limit:
            ratio = observed / limit
            yield f"{name} {observed / 1e6:.3f} ms, {ratio:.2f} times --max-{name} {limit / 1e6:.3f} ms"
    troubles = sum(figures.errors.values()) + figures.misdelivered
    if wanted.max_errors is not None and troubles > wanted.max_errors:
        yield f"{troubles} errors, {troubles - wanted.max_errors} more than --max-errors {wanted.max_errors}"
