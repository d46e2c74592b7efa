"""Runs a completion-port stressor: starts its threads, watches them, ends them, and verifies what they did."""

import threading
import time
from importlib import import_module
from typing import Final

from toolkit.primitives.processors import bind_thread, usable
from toolkit.stress.glimpse import Glimpse, Progress
from toolkit.stress.pinning import cpus_for
from toolkit.stress.plan import Plan
from toolkit.stress.result import StressResult
from toolkit.stress.windows_stage import WindowsStage, WindowsStressor, Worker
from toolkit.stress.windows_verdict import Ended, conclude, histogram_of

_LOOK_S: Final = 0.05  # Ctrl-C is raised in the main thread only between waits
_STALL_LOOKS: Final = 100  # five seconds of looks, not of time: a stopped process does not look
_GLIMPSE_S: Final = 0.25
_DRAIN_S: Final = 30.0


def load(name: str) -> WindowsStressor:
    """The stressor in its file."""
    stressor = import_module(f"toolkit.stress.iocp.{name.replace('-', '_')}").STRESSOR
    assert isinstance(stressor, WindowsStressor)
    return stressor


def run(name: str, plan: Plan, progress: Progress | None = None) -> tuple[StressResult, int]:
    """The result of the stressor `name`, and the signal that ended it early (0: none).

    Raises:
        OSError: what the run needs could not be had.
        ValueError: an impossible `pin`.
    """
    stage = WindowsStage(plan)
    with stage.stack:
        verify = load(name).prepare(stage)
        _share_out(stage)
        cpus = cpus_for(plan.pin, len(stage.workers), usable())
        stage.started = time.monotonic()
        stage.deadline = stage.started + (1e9 if plan.duration_ns is None else plan.duration_ns / 1e9)
        threads = [_start(worker, cpus[worker.index]) for worker in stage.workers]
        producers = [thread for thread, worker in zip(threads, stage.workers, strict=True) if worker.produces]
        signal_number, stalled = _watch(name, stage, producers, progress)
        ran_ns = round((time.monotonic() - stage.started) * 1e9)
        for action in stage.finishing:
            action()
        _join(threads, _DRAIN_S)
        stuck = sum(thread.is_alive() for thread in threads)
        ended = Ended(signal_number, stalled, stuck, ran_ns)
        return conclude(f"iocp/{name}", stage, verify() if not stuck else [], ended), signal_number


def _share_out(stage: WindowsStage) -> None:
    """Divides operations and rate among the producers."""
    plan, producers = stage.plan, [worker for worker in stage.workers if worker.produces]
    for index, worker in enumerate(producers):
        if plan.ops is not None:
            worker.budget = plan.ops // len(producers) + (index < plan.ops % len(producers))
        if plan.rate is not None:
            worker.pace_s = len(producers) / plan.rate


def _start(worker: Worker, cpus: set[int] | None) -> threading.Thread:
    def work() -> None:
        try:
            if cpus is not None:
                bind_thread(cpus)
            worker.work(worker)
        except Exception as error:
            worker.error = f"worker {worker.index} ({worker.role}): {type(error).__name__}: {error}"
            worker.stage.stopped.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _watch(
    name: str, stage: WindowsStage, producers: list[threading.Thread], progress: Progress | None
) -> tuple[int, bool]:
    """Until the producers have ended: the signal that stopped them early (0: none), and whether nothing moved."""
    number = still = done = 0
    patience = _STALL_LOOKS + int(3 / _LOOK_S * max(1.0, len(producers) / (stage.plan.rate or 1e9)))
    glimpses = _Glimpses(name, stage)
    while alive := [thread for thread in producers if thread.is_alive()]:
        try:
            alive[0].join(_LOOK_S)
            before, done = done, stage.total("ops") + stage.total("received")
            still = still + 1 if done == before else 0
            if still > patience:
                stage.stopped.set()
                _join(alive, _DRAIN_S)
                return number, True
            if progress is not None:
                glimpses.show(progress)
        except KeyboardInterrupt as end:
            number = getattr(end, "number", 2)
            stage.stopped.set()
    return number, False


def _join(threads: list[threading.Thread], within_s: float) -> None:
    end = time.monotonic() + within_s
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))


class _Glimpses:
    """Makes a Glimpse each time a quarter of a second has passed."""

    def __init__(self, name: str, stage: WindowsStage) -> None:
        self._name = f"iocp/{name}"
        self._stage = stage
        self._last = (stage.started, 0)

    def show(self, progress: Progress) -> None:
        now, (then, before) = time.monotonic(), self._last
        if now - then < _GLIMPSE_S:
            return
        stage, ops = self._stage, self._stage.total("ops")
        self._last = (now, ops)
        timed = histogram_of(stage)
        progress(
            Glimpse(
                name=self._name,
                elapsed_ns=round((now - stage.started) * 1e9),
                planned_ns=stage.plan.duration_ns,
                ops=ops,
                ops_per_s=(ops - before) / (now - then),
                p99_ns=timed.percentile(0.99) if timed.count else None,
                ok=not any(worker.error for worker in stage.workers),
            )
        )
