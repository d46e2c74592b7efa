"""What a completion-port stressor is handed: workers that are threads, their counts, and what is closed at the end."""

import random
import threading
import time
from array import array
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TypeVar

from toolkit.stress.plan import Plan
from toolkit.stress.result import Invariant

Owned = TypeVar("Owned")

_SAMPLED = 64  # one operation in so many is timed, unless all are


@dataclass
class Worker:
    """One thread, and what it did.

    Attributes:
        produces: ends at the deadline or when its share is done; the others end when they are told to.
        random: its own numbers, from the run's seed.
        latencies: nanoseconds of the operations that were timed.
    """

    index: int
    role: str
    produces: bool
    work: Callable[["Worker"], None]
    stage: "WindowsStage"
    random: random.Random
    budget: int | None = None
    pace_s: float | None = None
    ops: int = 0
    sent: int = 0
    received: int = 0
    latencies: "array[int]" = field(default_factory=lambda: array("Q"))
    error: str | None = None

    def goes_on(self) -> bool:
        """Whether to make another operation: asked before each."""
        if self.stage.stopped.is_set() or time.monotonic() >= self.stage.deadline:
            return False
        if self.budget is not None and self.ops >= self.budget:
            return False
        if self.pace_s is not None:
            due = self.stage.started + self.ops * self.pace_s
            return not self.stage.stopped.wait(max(0.0, due - time.monotonic()))
        return True

    def timed(self) -> bool:
        """Whether the next operation is to be timed."""
        return self.stage.plan.latency or self.ops % _SAMPLED == 0

    def took(self, begin_ns: int) -> None:
        """Notes how long an operation took that began at `begin_ns` (perf_counter_ns)."""
        self.latencies.append(time.perf_counter_ns() - begin_ns)


@dataclass
class WindowsStage:
    """The set of one run."""

    plan: Plan
    workers: list[Worker] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    started: float = 0.0
    deadline: float = 0.0
    finishing: list[Callable[[], object]] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    stack: ExitStack = field(default_factory=ExitStack)

    def own(self, owned: Owned) -> Owned:
        """Keeps something with `close` open until the run is over."""
        self.stack.callback(owned.close)  # type: ignore[attr-defined]  # a port, a file, a socket
        return owned

    def worker(self, role: str, work: Callable[[Worker], None], *, produces: bool = True) -> Worker:
        """Adds a thread that runs `work`."""
        index = len(self.workers)
        numbers = random.Random(f"{self.plan.seed}:{index}")  # noqa: S311  to repeat a run, not for secrets
        worker = Worker(index, role, produces, work, self, numbers)
        self.workers.append(worker)
        return worker

    def when_producers_ended(self, action: Callable[[], object]) -> None:
        """`action` tells the other workers to end."""
        self.finishing.append(action)

    def total(self, counter: str, role: str | None = None) -> int:
        """The sum of a counter over all workers, or those of one role."""
        return sum(getattr(worker, counter) for worker in self.workers if role in (None, worker.role))


Verify = Callable[[], list[Invariant]]


@dataclass(frozen=True)
class WindowsStressor:
    """`prepare` sets the stage and gives back what verifies it once all workers have ended."""

    prepare: Callable[[WindowsStage], Verify]


def equal(name: str, expected: object, observed: object) -> Invariant:
    """An invariant that holds when both are equal."""
    return Invariant(name, expected == observed, expected, observed)
