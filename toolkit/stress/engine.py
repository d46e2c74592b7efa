"""Runs one stressor: starts its workers, watches them, ends them, and verifies what they did."""

import resource
import time
from typing import Final

from toolkit.stress import crew
from toolkit.stress.glimpse import Glimpse, Progress
from toolkit.stress.histogram import merge
from toolkit.stress.interruption import Interruption
from toolkit.stress.plan import Plan
from toolkit.stress.result import StressResult
from toolkit.stress.stage import Stage, Stressor
from toolkit.stress.verdict import Ended, conclude

_TICK_S: Final = 0.05
_STALL_TICKS: Final = 100  # five seconds of ticks, not of time: a stopped process does not tick
_DRAIN_TICKS: Final = 200  # how long consumers may take to drain after the end
_RESCUE_S: Final = 2.0
_WATCHED_WORKERS: Final = 8  # merging a thousand histograms would disturb what is measured
_UNBOUNDED_NS: Final = 10**18  # thirty years: the run ends after its operations


def run(
    name: str, stressor: Stressor, plan: Plan, progress: Progress | None = None
) -> tuple[StressResult, int]:
    """The result, and the signal that ended the run early (0: none). Ctrl-C and SIGTERM are handled here meanwhile.

    Raises:
        OSError: what the run needs could not be had (descriptors, processes, watches).
        ValueError: an impossible `pin`.
    """
    raise_descriptor_limit()
    stage = Stage(plan)
    try:
        verify = stressor.prepare(stage)
        _share_out(stage)
        ended = _watch(name, stage, progress)
        return conclude(name, stressor, stage, verify, ended), ended.signal
    finally:
        stage.close()


def raise_descriptor_limit() -> None:
    """Takes as many descriptors as the hard limit allows (getrlimit(2))."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _share_out(stage: Stage) -> None:
    """Divides operations and rate among the producers."""
    plan, run, producers = stage.plan, stage.run, stage.producers()
    run.parties = len(stage.workers)
    run.producers = len(producers)
    run.duration_ns = _UNBOUNDED_NS if plan.duration_ns is None else plan.duration_ns
    for index, worker in enumerate(producers):
        worker.memory.peers = len(producers)
        if plan.ops is not None:
            worker.memory.budget = plan.ops // len(producers) + (index < plan.ops % len(producers))
        if plan.rate is not None:
            worker.memory.pace_ns = max(1, round(1e9 * len(producers) / plan.rate))


def _watch(name: str, stage: Stage, progress: Progress | None) -> Ended:
    run = stage.run
    still = drained = done = 0
    stalled = False
    patience = _STALL_TICKS + int(3 / _TICK_S * max(1.0, len(stage.workers) / (stage.plan.rate or 1e9)))
    glimpses = _Glimpses(name, stage)
    with Interruption(run) as interruption:
        workers = crew.start(stage)
        while not crew.wait_until_ended(workers, _TICK_S):
            before, done = done, stage.total("ops") + stage.total("received")
            still = still + 1 if done == before else 0
            if run.go and time.monotonic_ns() > run.deadline_ns:
                run.stop = 1  # loops look at the clock now and then, and an operation may wait for others
            drained = drained + 1 if run.stop else 0
            if progress is not None:
                glimpses.show(progress)
            stalled = still > patience or (drained > _DRAIN_TICKS and still > _STALL_TICKS)
            if stalled or run.abort:
                break
        if workers.alive():
            _rescue(stage, workers)
        run.stop = 1
        return Ended(interruption.number, stalled, workers.alive(), tuple(workers.deaths()))


def _rescue(stage: Stage, workers: crew.Crew) -> None:
    """Frees what is blocked, again and again: a worker may block once more before it sees the flag."""
    stage.run.stop = stage.run.abort = 1
    deadline = time.monotonic() + _RESCUE_S
    while workers.alive() and time.monotonic() < deadline:
        stage.rescue()
        crew.wait_until_ended(workers, _TICK_S)


class _Glimpses:
    """Makes a Glimpse each time a quarter of a second has passed."""

    def __init__(self, name: str, stage: Stage) -> None:
        self._name = name
        self._stage = stage
        self._last = (time.monotonic_ns(), 0)

    def show(self, progress: Progress) -> None:
        now, (then, before) = time.monotonic_ns(), self._last
        if now - then < 250_000_000 or not self._stage.run.go:
            return
        ops = self._stage.total(self._stage.counts)
        self._last = (now, ops)
        timed = merge(worker.memory.latency for worker in self._stage.workers[:_WATCHED_WORKERS])
        progress(
            Glimpse(
                name=self._name,
                elapsed_ns=now - self._stage.run.started_ns,
                planned_ns=self._stage.plan.duration_ns,
                ops=ops,
                ops_per_s=(ops - before) / (now - then) * 1e9,
                p99_ns=timed.percentile(0.99) if timed.count else None,
                ok=all(not worker.memory.broken for worker in self._stage.workers),
            )
        )
