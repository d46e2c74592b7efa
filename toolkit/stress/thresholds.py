"""Limits that turn a measurement into a verdict, and by how much one was missed."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolkit.stress.result import StressResult, Threshold


@dataclass(frozen=True)
class Limits:
    """What a run must reach: rate per second, percentiles in nanoseconds, spread as a share; None asks nothing."""

    min_rate: float | None = None
    max_p99_ns: int | None = None
    max_p999_ns: int | None = None
    max_spread: float | None = None


def check(result: StressResult, limits: Limits) -> Iterator[Threshold]:
    """One Threshold for each limit that was set."""
    latency = result.latency_ns
    if limits.min_rate is not None:
        yield at_least("min-rate", limits.min_rate, result.ops_per_s)
    for name, limit, observed in (
        ("max-p99", limits.max_p99_ns, latency.p99 if latency else None),
        ("max-p999", limits.max_p999_ns, latency.p999 if latency else None),
    ):
        if limit is not None:
            yield at_most(name, limit, observed)
    if limits.max_spread is not None:
        yield at_most("max-spread", limits.max_spread, spread(result))


def spread(result: StressResult) -> float:
    """How unevenly the work fell: (most - least) / most among workers of one role, the worst role; 0 is even."""
    worst = 0.0
    for role in {worker.role for worker in result.per_worker}:
        shares = [worker.share for worker in result.per_worker if worker.role == role]
        if max(shares) > 0:
            worst = max(worst, (max(shares) - min(shares)) / max(shares))
    return round(worst, 4)


def at_least(name: str, limit: float, observed: float) -> Threshold:
    """Missed when `observed` is below `limit`."""
    ok = observed >= limit
    return Threshold(name, ok, limit, observed, None if ok else _share(limit - observed, limit))


def at_most(name: str, limit: float, observed: float | None) -> Threshold:
    """Missed when `observed` is above `limit`, or when nothing was measured."""
    if observed is None:
        return Threshold(name, False, limit, reason="nothing was timed")
    ok = observed <= limit
    return Threshold(name, ok, limit, observed, None if ok else _share(observed - limit, limit))


def _share(difference: float, limit: float) -> float | None:
    return round(difference / limit, 4) if limit else None
