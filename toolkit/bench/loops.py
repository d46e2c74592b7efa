"""Our own C loops, with their checks and with one operation in 64 timed."""

import os
from contextlib import ExitStack
from functools import partial
from time import monotonic_ns, thread_time_ns
from typing import Any

from toolkit.bench.beside import beside
from toolkit.bench.contest import Run
from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd
from toolkit.stress.memory import RunMemory

_FAR_NS = 2**63
_FAREWELL = 1 << 62  # of loops_eventfd.c


def make(stack: ExitStack, work: str) -> Run | None:
    """Sets `work` up; None for what no stressor does."""
    if work == "ping-pong":
        there, back = stack.enter_context(EventFd()), stack.enter_context(EventFd())
        return _two_threads(there.fileno(), back.fileno())
    if work not in ("write-read", "write-wait-read"):
        return None
    counter = stack.enter_context(EventFd(0, EFD_NONBLOCK | EFD_CLOEXEC)).fileno()
    if work == "write-read":
        return _one_thread("eventfd_ping", reads=counter, writes=counter)
    epoll = stack.enter_context(Epoll())
    epoll.add(counter, EPOLLIN, 0)
    memory = RunMemory(processes=False)
    lane = memory.array("struct evk_lane", 1)
    lane.fd = counter
    return _one_thread("epoll_scan", memory, epoll=epoll.fileno(), lanes=lane, lane_count=1, maxevents=1)


def _one_thread(loop: str, kept: RunMemory | None = None, **fields: object) -> Run:
    """A run of one loop; `kept` holds what `fields` point to."""

    def run(ops: int, kept: RunMemory | None = kept) -> int:
        memory = RunMemory(processes=False)
        worker = _worker(memory, ops, fields)
        memory.run.deadline_ns = _FAR_NS
        begin = thread_time_ns()
        _drive(loop, memory.run, worker)
        return thread_time_ns() - begin

    return run


def _two_threads(there: int, back: int) -> Run:
    def run(ops: int) -> int:
        memory = RunMemory(processes=False)
        server = _worker(memory, ops, {"writes": there, "reads": back})
        partner = _worker(memory, ops, {"reads": there, "writes": back})
        memory.run.deadline_ns = _FAR_NS
        answer = partial(_drive, "eventfd_return", memory.run, partner)
        begin = monotonic_ns()
        with beside([answer], partial(os.eventfd_write, there, _FAREWELL)):
            _drive("eventfd_serve", memory.run, server)
            return monotonic_ns() - begin

    return run


def _worker(memory: RunMemory, ops: int, fields: dict[str, object]) -> Any:  # noqa: ANN401  cffi data has no static type
    worker = memory.worker()
    worker.budget = ops
    for name, value in fields.items():
        setattr(worker, name, value)
    return worker


def _drive(loop: str, run: Any, worker: Any) -> None:  # noqa: ANN401  cffi data has no static type
    function = getattr(linux.compiled, f"evk_loop_{loop}")
    while (result := function(run, worker)) > 0:
        pass
    if result < 0 or worker.broken:
        raise OSError(-result, f"the {loop} loop failed")
