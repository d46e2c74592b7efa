"""From what the threads of a completion-port stressor counted to a verdict: the same record as on Linux."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolkit.stress.histogram import Histogram, bucket_of
from toolkit.stress.plan import Plan
from toolkit.stress.result import Invariant, StressResult, WorkerResult
from toolkit.stress.windows_stage import WindowsStage

_SHORTEST: Final = 0.9  # of the planned time; less is a run that did not happen as asked
_OPTIONS: Final = ("workers", "ops", "rate", "pin", "latency")


@dataclass(frozen=True)
class Ended:
    """How a run ended: by which signal (0: none), whether nothing moved, how many workers never did, when."""

    signal: int
    stalled: bool
    stuck: int
    ran_ns: int


def conclude(name: str, stage: WindowsStage, verified: list[Invariant], ended: Ended) -> StressResult:
    """The result of a run whose workers have ended; `name` is that of the stressor."""
    plan, ops = stage.plan, stage.total("ops")
    error = next((worker.error for worker in stage.workers if worker.error), None)
    if error is None and ended.stuck:
        error = f"{ended.stuck} workers did not end and were left behind"
    invariants = [*_moved(ended), *verified, *_done(plan, ops, ended)]
    timed = histogram_of(stage)
    return StressResult(
        name=f"iocp/{name}",
        params=params_of(plan),
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
        repeat=repeat_line(name, plan),
        interrupted=True if ended.signal else None,
        error=error,
    )


def params_of(plan: Plan) -> dict[str, Any]:
    """The options that shaped the run, by name; those without limit are absent."""
    return {name: value for name in _OPTIONS if (value := getattr(plan, name)) is not None}


def repeat_line(name: str, plan: Plan) -> str:
    """The command that repeats this run."""
    words = [f"evkit iocp stress {name} --seed {plan.seed}"]
    default = Plan(seed=plan.seed)
    for option, value in params_of(plan).items():
        if value is True:
            words.append(f"--{option}")
        elif value != getattr(default, option):
            words.append(f"--{option} {value}")
    if plan.duration_ns not in (None, default.duration_ns):
        words.append(f"--duration {plan.duration_ns}ns")
    return " ".join(words)


def _moved(ended: Ended) -> Iterator[Invariant]:
    if ended.stalled:
        yield Invariant("progress", False, "an operation within 5 s", "none", "workers were told to end")


def _done(plan: Plan, ops: int, ended: Ended) -> Iterator[Invariant]:
    yield Invariant("work-was-done", ops > 0, "at least 1 operation", ops)
    if ended.signal:
        return
    if plan.ops is not None:
        if plan.duration_ns is None:
            yield Invariant("all-operations-done", ops >= plan.ops, plan.ops, ops)
    elif plan.duration_ns is not None:
        least, ran_ns = int(plan.duration_ns * _SHORTEST), ended.ran_ns
        yield Invariant("ran-as-long-as-planned", ran_ns >= least, f"at least {least} ns", f"{ran_ns} ns")


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
