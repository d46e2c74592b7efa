"""From counters to a verdict: what broke first, what must always hold, and the figures."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolkit.ffi.errors import errno_name
from toolkit.stress.histogram import merge
from toolkit.stress.promised import COMMON, as_much_as_asked, params_of, repeat_line, work_was_done
from toolkit.stress.result import Invariant, StressResult, WorkerResult
from toolkit.stress.stage import Stage, Stressor, Verify, Worker, broken_by, text_of

_COUNTERS: Final = ("wakeups", "spurious", "again", "interrupted", "stale", "mixed")


@dataclass(frozen=True)
class Ended:
    """How the workers ended: by which signal (0: none), whether nothing moved, how many never did, what died."""

    signal: int
    stalled: bool
    stuck: int
    deaths: tuple[str, ...]


def conclude(name: str, stressor: Stressor, stage: Stage, verify: Verify, ended: Ended) -> StressResult:
    """The result of a run whose workers have ended; `name` is `primitive/stressor`."""
    plan, run = stage.plan, stage.run
    stage.interrupted = bool(ended.signal)
    ended_ns = max(worker.memory.ended_ns for worker in stage.workers)
    ran_ns = max(ended_ns - run.started_ns, 0) if run.go else 0
    ops = stage.total(stage.counts)
    timed = merge(worker.memory.latency for worker in stage.workers)
    error = _error(stage, ended)
    broken = list(_broken(stage))
    invariants = [*broken, *_held(stressor, broken, ops), *_ending(ended), *verify()]
    if error is None:
        broke_off = bool(run.stop) and not all(invariant.ok for invariant in invariants)
        invariants.append(work_was_done(ops))
        if not ended.signal and not broke_off:  # else it is short for a reason that is told elsewhere
            invariants += as_much_as_asked(plan, stage.total("ops"), ran_ns)
    return StressResult(
        name=name,
        params=params_of(plan, options_of(stressor)),
        seed=plan.seed,
        planned_ns=plan.duration_ns,
        ran_ns=ran_ns,
        ops=ops,
        ops_per_s=round(ops / ran_ns * 1e9, 1) if ran_ns else 0.0,
        ok=error is None and all(invariant.ok for invariant in invariants),
        invariants=tuple(invariants),
        per_worker=tuple(_worker_results(stage)),
        latency_ns=timed.latency(),
        histogram=timed.ranges() or None,
        figures=stage.figures or None,
        repeat=repeat_line(name, plan, options_of(stressor)),
        interrupted=True if ended.signal else None,
        error=error,
    )


def options_of(stressor: Stressor) -> tuple[str, ...]:
    """The plan's fields that shape a run of `stressor`."""
    return (*COMMON, "processes", *stressor.options)


def _error(stage: Stage, ended: Ended) -> str | None:
    for worker in stage.workers:
        if worker.memory.error:
            call = text_of(worker.memory.call)
            number = worker.memory.error
            name = errno_name(number)
            return f"worker {worker.memory.index} ({worker.role}): {call}: {name} ({os.strerror(number)})"
    if ended.stuck:
        return f"{ended.stuck} workers did not end and were left behind"
    return None


def _broken(stage: Stage) -> Iterator[Invariant]:
    for worker in stage.workers:
        memory, broken = worker.memory, broken_by(worker)
        if broken is not None:
            reason = f"first offending token {memory.token:#x}, seen by worker {memory.index} ({worker.role})"
            yield Invariant(broken, False, hex(memory.expected), hex(memory.observed), reason)


def _held(stressor: Stressor, broken: list[Invariant], ops: int) -> Iterator[Invariant]:
    failed = {invariant.name for invariant in broken}
    for name in stressor.each:
        if name not in failed:
            yield Invariant(name, True, "at every operation", f"at {ops} operations")


def _ending(ended: Ended) -> Iterator[Invariant]:
    if ended.stalled:
        yield Invariant("progress", False, "an operation within 5 s", "none", "workers had to be rescued")
    if ended.deaths:
        yield Invariant("workers-end-by-themselves", False, 0, len(ended.deaths), "; ".join(ended.deaths))


def _worker_results(stage: Stage) -> Iterator[WorkerResult]:
    work_of: dict[str, int] = {}
    for worker in stage.workers:
        work_of[worker.role] = work_of.get(worker.role, 0) + _work(worker)
    for worker in stage.workers:
        memory = worker.memory
        yield WorkerResult(
            index=memory.index,
            role=worker.role,
            ops=memory.ops,
            sent=memory.sent,
            received=memory.received,
            share=round(_work(worker) / work_of[worker.role], 4) if work_of[worker.role] else 0.0,
            p99_ns=merge([memory.latency]).percentile(0.99) if memory.latency.count else None,
            **{name: getattr(memory, name) or None for name in _COUNTERS},
        )


def _work(worker: Worker) -> int:
    return int(worker.memory.ops if worker.produces else worker.memory.received)
