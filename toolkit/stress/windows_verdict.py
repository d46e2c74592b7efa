"""From what the threads of a completion-port stressor counted to a verdict: the same record as on Linux."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolkit.stress.histogram import Histogram, bucket_of
from toolkit.stress.promised import COMMON, as_much_as_asked, params_of, repeat_line, work_was_done
from toolkit.stress.result import Invariant, StressResult, WorkerResult
from toolkit.stress.windows_stage import WindowsStage


@dataclass(frozen=True)
class Ended:
    """How a run ended: by which signal (0: none), whether nothing moved, how many workers never did, when."""

    signal: int
    stalled: bool
    stuck: int
    ran_ns: int


def conclude(name: str, stage: WindowsStage, verified: list[Invariant], ended: Ended) -> StressResult:
    """The result of a run whose workers have ended; `name` is `iocp/stressor`."""
    plan, ops = stage.plan, stage.total("ops")
    error = next((worker.error for worker in stage.workers if worker.error), None)
    if error is None and ended.stuck:
        error = f"{ended.stuck} workers did not end and were left behind"
    invariants = [*_moved(ended), *verified, work_was_done(ops)]
    if not ended.signal:
        invariants += as_much_as_asked(plan, ops, ended.ran_ns)
    timed = histogram_of(stage)
    return StressResult(
        name=name,
        params=params_of(plan, COMMON),
        seed=plan.seed,
        planned_ns=plan.duration_ns,
        ran_ns=ended.ran_ns,
        ops=ops,
        ops_per_s=round(ops / ended.ran_ns * 1e9, 1) if ended.ran_ns else 0.0,
        ok=error is None and all(invariant.ok for invariant in invariants),
        invariants=tuple(invariants),
        per_worker=tuple(_workers(stage)),
        latency_ns=timed.latency(),
        histogram=timed.ranges() or None,
        figures=stage.figures or None,
        repeat=repeat_line(name, plan, COMMON),
        interrupted=True if ended.signal else None,
        error=error,
    )


def _moved(ended: Ended) -> Iterator[Invariant]:
    if ended.stalled:
        yield Invariant("progress", False, "an operation within 5 s", "none", "workers were told to end")


def _workers(stage: WindowsStage) -> Iterator[WorkerResult]:
    for worker in stage.workers:
        counter = "ops" if worker.produces else "received"
        of_role = stage.total(counter, worker.role)
        timed = _histogram(worker.latencies)
        yield WorkerResult(
            index=worker.index,
            role=worker.role,
            ops=worker.ops,
            sent=worker.sent,
            received=worker.received,
            share=round(getattr(worker, counter) / of_role, 4) if of_role else 0.0,
            p99_ns=timed.percentile(0.99) if timed.count else None,
        )


def histogram_of(stage: WindowsStage) -> Histogram:
    """All that was timed so far."""
    return _histogram([ns for worker in stage.workers for ns in worker.latencies[:]])


def _histogram(times_ns: Iterable[int]) -> Histogram:
    ordered = sorted(times_ns)
    if not ordered:
        return Histogram(0, 0, 0, ())
    buckets = [0] * (bucket_of(ordered[-1]) + 1)
    for ns in ordered:
        buckets[bucket_of(ns)] += 1
    return Histogram(len(ordered), ordered[0], ordered[-1], buckets)
