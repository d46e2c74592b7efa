"""On which CPU a contestant runs: threads and processes that it starts are born there too (sched_setaffinity(2))."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from toolkit.bench.contest import Contestant


def first_and_last() -> tuple[int, int]:
    """The CPUs at both ends of those that this thread may use; the same one twice where there is one."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[0], usable[-1]


@contextmanager
def on_cpu(cpu: int) -> Iterator[None]:
    """Keeps the calling thread on `cpu`."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def on_one_cpu(contestant: Contestant) -> Contestant:
    """The same on one CPU: else the scheduler decides what a wake-up costs, tenfold across CPUs, anew each round."""

    def run(ops: int) -> int:
        with on_cpu(first_and_last()[0]):
            return contestant.run(ops)

    return Contestant(contestant.name, run)
