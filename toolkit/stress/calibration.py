"""How fast this machine is, by a fixed loop, so that results of different machines can be compared by ratio."""

import time

from toolkit.ffi import linux
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd
from toolkit.stress.memory import RunMemory

_ROUNDS = 12
_OPS = 8_000  # about 5 ms a round


def calibrate() -> float:
    """Operations per second of eventfd write and read on one thread: the best of twelve short rounds.

    The best, because a neighbour can only slow a round down.
    """
    best = 0.0
    with EventFd(0, EFD_CLOEXEC | EFD_NONBLOCK) as counter:
        for _ in range(_ROUNDS):
            memory = RunMemory(processes=False)
            worker = memory.worker()
            worker.reads = worker.writes = counter.fileno()
            worker.budget = _OPS
            memory.run.deadline_ns = 2**63
            begin = time.perf_counter()
            while linux.compiled.evk_loop_eventfd_ping(memory.run, worker) > 0:
                pass
            best = max(best, worker.ops / (time.perf_counter() - begin))
    return best
