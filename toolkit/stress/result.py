"""What a stress run reports."""

from dataclasses import dataclass, field
from typing import Any

from toolkit.stress.histogram import Latency, Range


@dataclass(frozen=True)
class Invariant:
    """What must hold, and whether it did. `expected` and `observed` are JSON values."""

    name: str
    ok: bool
    expected: Any
    observed: Any
    reason: str | None = None


@dataclass(frozen=True)
class Threshold:
    """A limit the user set, and what was measured against it. `missed_by` is a share of the limit: 0.1 is 10 %."""

    name: str
    ok: bool
    limit: float
    observed: float | None = None
    missed_by: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class WorkerResult:
    """One worker's counts. `share` is its part of the work of its role, 0 to 1."""

    index: int
    role: str
    ops: int
    sent: int
    received: int
    share: float
    wakeups: int | None = None
    spurious: int | None = None
    again: int | None = None
    interrupted: int | None = None
    stale: int | None = None
    mixed: int | None = None
    p99_ns: int | None = None


@dataclass(frozen=True)
class StressResult:
    """One stressor, run once. Rates per second of the time it ran; `calibration_per_s` is a fixed loop's rate here."""

    name: str
    params: dict[str, Any]
    seed: int
    planned_ns: int | None
    ran_ns: int
    ops: int
    ops_per_s: float
    ok: bool
    invariants: tuple[Invariant, ...]
    per_worker: tuple[WorkerResult, ...]
    latency_ns: Latency | None = None
    histogram: tuple[Range, ...] | None = None
    figures: dict[str, float] | None = None
    thresholds: tuple[Threshold, ...] = ()
    calibration_per_s: float | None = None
    repeat: str | None = None
    interrupted: bool | None = None
    error: str | None = None
    type: str = field(default="stress", init=False)
