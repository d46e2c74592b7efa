"""A running stressor, as its live line shows it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Glimpse:
    """The rate since the last glimpse, p99 so far."""

    name: str
    elapsed_ns: int
    planned_ns: int | None
    ops: int
    ops_per_s: float
    p99_ns: int | None
    ok: bool


Progress = Callable[[Glimpse], None]
