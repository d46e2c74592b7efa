"""What a stressor file is handed: descriptors that are closed for it, workers, lanes, and totals to verify."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from toolkit.ffi import linux
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd
from toolkit.stress.memory import RunMemory
from toolkit.stress.plan import Plan
from toolkit.stress.result import Invariant

UNLIMITED: Final = 2**64 - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15  # spreads the seed so that neighbouring workers draw unrelated numbers

Owned = TypeVar("Owned")


@dataclass
class Worker:
    """One worker before, while and after it runs: `memory` is its `struct evk_worker`."""

    role: str
    loop: str
    memory: Any
    produces: bool


@dataclass
class Stage:
    """The set of one run. `counts` names the worker counter that is an operation, summed over all workers.

    `interrupted` is known when the run is verified: what takes its time to show cannot be asked of one that was.
    """

    plan: Plan
    counts: str = "ops"
    workers: list[Worker] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self.memory = RunMemory(self.plan.processes)
        self.run = self.memory.run
        self._rescues: list[Callable[[], object]] = []
        self.all_lanes: dict[str, Any] = {}

    def close(self) -> None:
        """Closes what was opened, last first."""
        self._stack.close()

    def own(self, owned: Any) -> Any:  # noqa: ANN401  gives back what it is given, a context manager of any kind
        """Keeps a context manager open until the run is over."""
        return self._stack.enter_context(owned)

    def on_close(self, action: Callable[[], object]) -> None:
        """Calls `action` when the run is over."""
        self._stack.callback(action)

    def eventfd(self, *, semaphore: bool = False, blocking: bool = False, initial: int = 0) -> int:
        """The number of a new eventfd."""
        flags = EFD_CLOEXEC | (0 if blocking else EFD_NONBLOCK)
        flags |= linux.compiled.EFD_SEMAPHORE if semaphore else 0
        number: int = self.own(EventFd(initial, flags)).fileno()
        return number

    def pipe(self) -> tuple[int, int]:
        """A new pipe that does not block: `(reader, writer)`."""
        ends = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        for end in ends:
            self.on_close(partial(os.close, end))
        return ends

    def epoll(self) -> Epoll:
        """A new epoll instance."""
        instance: Epoll = self.own(Epoll())
        return instance

    def lanes(self, count: int) -> Any:  # noqa: ANN401  cffi data has no static type
        """`count` lanes; `all_lanes` then are the fields that give a worker every one of them."""
        lanes = self.memory.array("struct evk_lane", count)
        self.all_lanes = {"lanes": lanes, "lane_count": count}
        return lanes

    def each_lane(self) -> Iterator[Any]:
        """The lanes, in order."""
        return (self.all_lanes["lanes"][index] for index in range(self.all_lanes["lane_count"]))

    def worker(self, role: str, loop: str, *, produces: bool = True, **fields: Any) -> Any:  # noqa: ANN401  cffi data
        """Adds a worker that runs `evk_loop_<loop>`; `fields` are set in its `struct evk_worker`, which is returned.

        Producers end at the deadline or when their share of the operations is done; the others when all producers are.
        """
        memory = self.memory.worker()
        memory.index = len(self.workers)
        memory.seed = (self.plan.seed + (len(self.workers) + 1) * _GOLDEN) % 2**64
        memory.timed = self.plan.latency
        memory.maxevents = self.plan.maxevents
        memory.budget = UNLIMITED
        memory.retired = 1 if produces else 0
        for name, value in fields.items():
            setattr(memory, name, value)
        self.workers.append(Worker(role, loop, memory, produces))
        return memory

    def on_rescue(self, action: Callable[[], object]) -> None:
        """`action` frees workers that are blocked in the kernel when the run has to be given up."""
        self._rescues.append(action)

    def rescue(self) -> None:
        """Frees blocked workers."""
        for action in self._rescues:
            action()

    # --- what happened ---

    def of(self, role: str) -> Iterator[Any]:
        """The `struct evk_worker` of each worker of `role`."""
        return (worker.memory for worker in self.workers if worker.role == role)

    def total(self, counter: str) -> int:
        """The sum of a counter over all workers."""
        return sum(getattr(worker.memory, counter) for worker in self.workers)

    def has_broken(self, invariant: str) -> bool:
        """Whether a loop stopped the run because of that invariant."""
        return any(broken == invariant for broken in map(broken_by, self.workers))

    def producers(self) -> list[Worker]:
        """The workers that make the operations."""
        return [worker for worker in self.workers if worker.produces]


def broken_by(worker: Worker) -> str | None:
    """The invariant that `worker` saw broken first."""
    return text_of(worker.memory.broken) if worker.memory.broken else None


def text_of(pointer: Any) -> str:  # noqa: ANN401  cffi data has no static type
    """A C string that a loop left behind."""
    raw = linux.ffi.string(pointer)
    return raw.decode() if isinstance(raw, bytes) else raw


Verify = Callable[[], list[Invariant]]


@dataclass(frozen=True)
class Stressor:
    """A stressor: `prepare` sets the stage and gives back what verifies it once all workers have ended.

    `each` names the invariants that the C loops check at every operation, where they stop the run. `options` are the
    plan's fields beyond the common ones that it uses; `processes` says whether its workers may be processes.
    """

    prepare: Callable[[Stage], Verify]
    each: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    processes: bool = True


def equal(name: str, expected: object, observed: object, reason: str | None = None) -> Invariant:
    """An invariant that holds when both are equal."""
    return Invariant(name, expected == observed, expected, observed, reason)
