"""How late a waiter asleep in epoll_wait has what was written: in C, with our binding, with the standard library.

The writer is the same C process for all. It writes the time, and the waiter, on another CPU where there are two, looks
at the clock once it has read it.
"""

import os
import select
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic_ns
from typing import Final

from toolkit.bench.contest import Contestant, Run
from toolkit.bench.placement import first_and_last, on_cpu
from toolkit.bench.reference import output_of
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EventFd

FRACTIONS: Final = {"wake-p50": 0.5, "wake-p99": 0.99}

_LEAST_SAMPLES = 300  # a 99th percentile needs some
_PATIENCE_S = 5

Samples = Callable[[EventFd, EventFd, int], list[int]]
"""Waits so many times and returns how late it was each time, in nanoseconds."""


def contestants(program: Path, work: str) -> list[Contestant]:
    """C first; `program` is the built reference."""
    fraction = FRACTIONS[work]
    return [
        Contestant("c", _in_c(program, fraction)),
        Contestant("evkit", _in_python(program, fraction, _by_evkit)),
        Contestant("stdlib", _in_python(program, fraction, _by_stdlib)),
    ]


def _in_c(program: Path, fraction: float) -> Run:
    def run(ops: int) -> int:
        samples = max(ops, _LEAST_SAMPLES)
        with EventFd() as there, EventFd() as back, _writer(program, samples, there, back):
            command = _command(program, "wake-waiter", samples, first_and_last()[1], there, back)
            percentiles = output_of(command, (there.fileno(), back.fileno())).split()
        return int(percentiles[fraction > 0.5]) * ops

    return run


def _in_python(program: Path, fraction: float, take: Samples) -> Run:
    def run(ops: int) -> int:
        samples = max(ops, _LEAST_SAMPLES)
        with (
            EventFd() as there,
            EventFd() as back,
            _writer(program, samples, there, back),
            on_cpu(first_and_last()[1]),
        ):
            late = sorted(take(there, back, samples))
        return late[int(samples * fraction)] * ops

    return run


def _by_evkit(there: EventFd, back: EventFd, samples: int) -> list[int]:
    late = [0] * samples
    with Epoll() as epoll:
        epoll.add(there, EPOLLIN)
        ask, wait, read, clock = back.write, epoll.wait_one, there.read, monotonic_ns
        for index in range(samples):
            ask(1)
            if not wait(_PATIENCE_S * 1000):
                raise OSError("the writer of the wake-ups fell silent")
            stamp = read()
            late[index] = clock() - stamp
    return late


def _by_stdlib(there: EventFd, back: EventFd, samples: int) -> list[int]:
    late = [0] * samples
    source, target = there.fileno(), back.fileno()
    with select.epoll() as epoll:
        epoll.register(source, select.EPOLLIN)
        ask, wait, read, clock = os.eventfd_write, epoll.poll, os.eventfd_read, monotonic_ns
        for index in range(samples):
            ask(target, 1)
            if not wait(_PATIENCE_S, 1):
                raise OSError("the writer of the wake-ups fell silent")
            stamp = read(source)
            late[index] = clock() - stamp
    return late


@contextmanager
def _writer(program: Path, samples: int, there: EventFd, back: EventFd) -> Iterator[None]:
    command = _command(program, "wake-writer", samples, first_and_last()[0], there, back)
    writer = subprocess.Popen(command, pass_fds=(there.fileno(), back.fileno()))  # noqa: S603  built here
    try:
        yield
        writer.wait(_PATIENCE_S)
    finally:
        writer.kill()
        writer.wait()


def _command(program: Path, end: str, samples: int, cpu: int, there: EventFd, back: EventFd) -> list[str]:
    return [str(program), end, *map(str, (samples, cpu, there.fileno(), back.fileno()))]
