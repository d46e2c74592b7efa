"""Our own C loops with several threads: CPU time of all of them, which a busy neighbour hardly changes."""

from contextlib import ExitStack
from functools import partial
from time import process_time_ns
from typing import Any

from toolkit.bench.beside import beside
from toolkit.bench.contest import Run
from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd
from toolkit.stress.memory import RunMemory

WORKS = ("ctl-threads", "wait-threads")

_THREADS = 2
_EACH = 64  # descriptors a thread
_FAR_NS = 2**62
_UNLIMITED = 2**63


def make(work: str) -> Run:
    """A run of `work`, which sets up what it needs anew."""

    def run(ops: int) -> int:
        memory = RunMemory(processes=False)
        lanes = memory.array("struct evk_lane", _THREADS * _EACH)
        memory.run.deadline_ns = _FAR_NS
        with ExitStack() as stack:
            lists = [stack.enter_context(Epoll()) for _ in range(_THREADS)]
            for index in range(_THREADS * _EACH):
                counter = stack.enter_context(EventFd(0, EFD_NONBLOCK | EFD_CLOEXEC))
                lanes[index].fd = lanes[index].received_fd = counter.fileno()
                if work == "wait-threads":
                    lists[index // _EACH].add(counter, EPOLLIN, index)
            crew = _changers if work == "ctl-threads" else _writer_and_waiters
            workers = crew(memory, lanes, lists, ops)
            took = _drive(memory, workers)
            # a read may find several writes: what one event cost, as often as was asked for
            taken = sum(worker.received for loop, worker in workers if loop == "epoll_wait")
            return took * ops // taken if taken else took

    return run


def _changers(memory: RunMemory, lanes: Any, lists: list[Epoll], ops: int) -> list[tuple[str, Any]]:  # noqa: ANN401  cffi data
    share = ops // _THREADS
    return [
        (
            "epoll_ctl",
            _producer(memory, share, each, lanes=lanes, first_lane=index * _EACH, lane_count=_EACH),
        )
        for index, each in enumerate(lists)
    ]


def _writer_and_waiters(
    memory: RunMemory,
    lanes: Any,  # noqa: ANN401  cffi data
    lists: list[Epoll],
    ops: int,
) -> list[tuple[str, Any]]:
    every = {"lanes": lanes, "lane_count": _THREADS * _EACH}
    waiters = [_worker(memory, _UNLIMITED, each, maxevents=1, **every) for each in lists]
    writer = _producer(memory, ops, lists[0], **every)
    return [*(("epoll_wait", waiter) for waiter in waiters), ("epoll_write", writer)]


def _producer(memory: RunMemory, budget: int, epoll: Epoll, **fields: object) -> Any:  # noqa: ANN401  cffi data
    memory.run.producers += 1
    return _worker(memory, budget, epoll, retired=1, **fields)


def _worker(memory: RunMemory, budget: int, epoll: Epoll, **fields: object) -> Any:  # noqa: ANN401  cffi data
    worker = memory.worker()
    worker.budget, worker.epoll, worker.random = budget, epoll.fileno(), epoll.fileno()
    for name, value in fields.items():
        setattr(worker, name, value)
    return worker


def _drive(memory: RunMemory, crew: list[tuple[str, Any]]) -> int:
    def stop() -> None:
        memory.run.stop = 1

    begin = process_time_ns()
    with beside([partial(_work, memory.run, loop, worker) for loop, worker in crew], stop):
        pass
    took = process_time_ns() - begin
    for loop, worker in crew:
        if worker.error or worker.broken:
            raise OSError(worker.error, f"the {loop} loop failed")
    return took


def _work(run: Any, loop: str, worker: Any) -> None:  # noqa: ANN401  cffi data
    function = getattr(linux.compiled, f"evk_loop_{loop}")
    while function(run, worker) > 0:
        pass
    linux.compiled.evk_retire(run, worker)
