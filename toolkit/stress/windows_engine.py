"""Runs a completion-port stressor: starts its threads, ends them, and verifies what they did."""

import threading
import time
from collections.abc import Iterator
from importlib import import_module

from toolkit.stress.histogram import Latency
from toolkit.stress.plan import Plan
from toolkit.stress.result import Invariant, StressResult, WorkerResult
from toolkit.stress.windows_stage import WindowsStage, WindowsStressor, Worker

_LOOK_S = 0.1  # Ctrl-C is raised in the main thread only between waits
_DRAIN_S = 30.0
_SHORTEST = 0.9  # of the planned time; less is a run that did not happen as asked


def load(name: str) -> WindowsStressor:
    """The stressor in its file."""
    stressor = import_module(f"toolkit.stress.iocp.{name.replace('-', '_')}").STRESSOR
    assert isinstance(stressor, WindowsStressor)
    return stressor


def run(name: str, plan: Plan) -> tuple[StressResult, int]:
    """The result of the stressor `name`, and the signal that ended it early (0: none).

    Raises:
        OSError: what the run needs could not be had.
    """
    stage = WindowsStage(plan)
    with stage.stack:
        verify = load(name).prepare(stage)
        _share_out(stage)
        stage.started = time.monotonic()
        stage.deadline = stage.started + (1e9 if plan.duration_ns is None else plan.duration_ns / 1e9)
        threads = {worker.index: _start(worker) for worker in stage.workers}
        signal_number = _wait(stage, [threads[w.index] for w in stage.workers if w.produces])
        ran_ns = round((time.monotonic() - stage.started) * 1e9)
        for action in stage.finishing:
            action()
        end = time.monotonic() + _DRAIN_S
        for thread in threads.values():
            thread.join(max(0.0, end - time.monotonic()))
        stuck = sum(thread.is_alive() for thread in threads.values())
        return _conclude(
            name, stage, verify() if not stuck else [], ran_ns, signal_number, stuck
        ), signal_number


def _share_out(stage: WindowsStage) -> None:
    """Divides operations and rate among the producers."""
    plan, producers = stage.plan, [worker for worker in stage.workers if worker.produces]
    for index, worker in enumerate(producers):
        if plan.ops is not None:
            worker.budget = plan.ops // len(producers) + (index < plan.ops % len(producers))
        if plan.rate is not None:
            worker.pace_s = len(producers) / plan.rate


def _start(worker: Worker) -> threading.Thread:
    def work() -> None:
        try:
            worker.work(worker)
        except Exception as error:
            worker.error = f"worker {worker.index} ({worker.role}): {type(error).__name__}: {error}"
            worker.stage.stopped.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _wait(stage: WindowsStage, threads: list[threading.Thread]) -> int:
    """Until the producers have ended; the signal that stopped them early, or 0."""
    number = 0
    while any(thread.is_alive() for thread in threads):
        try:
            for thread in threads:
                thread.join(_LOOK_S)
        except KeyboardInterrupt as end:
            number = getattr(end, "number", 2)
            stage.stopped.set()
    return number


def _conclude(
    name: str, stage: WindowsStage, verified: list[Invariant], ran_ns: int, signal_number: int, stuck: int
) -> StressResult:
    plan = stage.plan
    ops = stage.total("ops")
    error = next((worker.error for worker in stage.workers if worker.error), None)
    if error is None and stuck:
        error = f"{stuck} workers did not end and were left behind"
    invariants = [*verified, *_done(plan, ops, ran_ns, signal_number)]
    return StressResult(
        name=f"iocp/{name}",
        params={"workers": plan.workers} | ({"ops": plan.ops} if plan.ops is not None else {}),
        seed=plan.seed,
        planned_ns=plan.duration_ns,
        ran_ns=ran_ns,
        ops=ops,
        ops_per_s=round(ops / ran_ns * 1e9, 1) if ran_ns else 0.0,
        ok=error is None and all(invariant.ok for invariant in invariants),
        invariants=tuple(invariants),
        per_worker=tuple(_workers(stage)),
        latency_ns=_latency(sorted(each for worker in stage.workers for each in worker.latencies)),
        figures=stage.figures or None,
        repeat=f"evkit iocp stress {name} --seed {plan.seed} --workers {plan.workers}",
        interrupted=True if signal_number else None,
        error=error,
    )


def _done(plan: Plan, ops: int, ran_ns: int, signal_number: int) -> Iterator[Invariant]:
    yield Invariant("work-was-done", ops > 0, "at least 1 operation", ops)
    if signal_number:
        return
    if plan.ops is not None:
        if plan.duration_ns is None:
            yield Invariant("all-operations-done", ops >= plan.ops, plan.ops, ops)
    elif plan.duration_ns is not None:
        least = int(plan.duration_ns * _SHORTEST)
        yield Invariant("ran-as-long-as-planned", ran_ns >= least, f"at least {least} ns", f"{ran_ns} ns")


def _workers(stage: WindowsStage) -> Iterator[WorkerResult]:
    for worker in stage.workers:
        counter = "ops" if worker.produces else "received"
        of_role = stage.total(counter, worker.role)
        timed = _latency(sorted(worker.latencies))
        yield WorkerResult(
            index=worker.index,
            role=worker.role,
            ops=worker.ops,
            sent=worker.sent,
            received=worker.received,
            share=round(getattr(worker, counter) / of_role, 4) if of_role else 0.0,
            p99_ns=timed.p99 if timed else None,
        )


def _latency(ordered: list[int]) -> Latency | None:
    """The figures of sorted nanoseconds, by nearest rank; None when nothing was timed."""
    if not ordered:
        return None

    def at(fraction: float) -> int:
        return ordered[max(0, -int(-len(ordered) * fraction // 1) - 1)]

    return Latency(len(ordered), ordered[0], at(0.5), at(0.9), at(0.99), at(0.999), ordered[-1])
