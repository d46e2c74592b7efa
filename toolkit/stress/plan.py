"""What a stress run is asked to do."""

from dataclasses import dataclass
from typing import Final

DEFAULT_DURATION_NS: Final = 5_000_000_000
DEFAULT_WORKERS: Final = 2
TRIGGERS: Final = ("lt", "et", "oneshot", "exclusive")
QUEUES: Final = ("shared", "per-worker")
ORDERS: Final = ("random", "round")
VARIANTS: Final = ("naive", "right", "both")


@dataclass(frozen=True)
class Plan:
    """The options of one run. Times in nanoseconds; None means without limit (`duration_ns`, `ops`, `rate`).

    `pin` is what `toolkit.stress.pinning.cpus_for` understands: none, same, spread, or a list such as `0,2-3`.
    """

    seed: int
    workers: int = DEFAULT_WORKERS
    duration_ns: int | None = DEFAULT_DURATION_NS
    ops: int | None = None
    rate: float | None = None
    pin: str = "none"
    latency: bool = False
    processes: bool = False
    maxevents: int = 64
    trigger: str = "lt"
    queue: str = "shared"
    order: str = "random"
    entries: int | None = None
    variant: str = "both"
