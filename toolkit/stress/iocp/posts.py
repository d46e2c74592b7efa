"""Many threads post to one port, many take: each packet exactly once.

What it does        `--workers` posters and as many takers; every post carries its poster and a running number.
What must hold      each poster's numbers are taken once each: as many, with the same sum and the same sum of squares.
References          Microsoft: PostQueuedCompletionStatus, GetQueuedCompletionStatus
"""

import threading
import time

from toolkit.primitives.iocp import CompletionPort
from toolkit.stress.result import Invariant
from toolkit.stress.windows_stage import Verify, WindowsStage, WindowsStressor, Worker, equal

_STOP = 2**64 - 1
_BACKLOG = 4096  # packets on their way: a queue in the kernel has no bound of its own
_Sums = dict[int, tuple[int, int, int]]


def _add(sums: _Sums, poster: int, number: int) -> None:
    count, total, squares = sums.get(poster, (0, 0, 0))
    sums[poster] = (count + 1, total + number, squares + number * number)


def prepare(stage: WindowsStage) -> Verify:
    port = stage.own(CompletionPort())
    room = threading.Semaphore(_BACKLOG)
    posted: list[_Sums] = []
    taken: list[_Sums] = []

    def post(worker: Worker) -> None:
        sums: _Sums = {}
        posted.append(sums)
        while worker.goes_on():
            if not room.acquire(timeout=0.1):
                continue
            number = worker.ops
            if worker.timed():
                begin = time.perf_counter_ns()
                port.post(worker.index, number, 1)
                worker.took(begin)
            else:
                port.post(worker.index, number, 1)
            _add(sums, worker.index, number)
            worker.ops += 1
            worker.sent += 1

    def take(worker: Worker) -> None:
        sums: _Sums = {}
        taken.append(sums)
        while (packet := port.wait()) is not None and packet.key != _STOP:
            _add(sums, packet.bytes, packet.key)
            worker.received += 1
            room.release()
        port.post(key=_STOP)  # the next taker's

    for _ in range(stage.plan.workers):
        stage.worker("poster", post)
    for _ in range(stage.plan.workers):
        stage.worker("taker", take, produces=False)
    stage.when_producers_ended(lambda: port.post(key=_STOP))

    def verify() -> list[Invariant]:
        return [
            equal("packets-taken-are-packets-posted", stage.total("sent"), stage.total("received")),
            equal("each-packet-exactly-once", _merged(posted), _merged(taken)),
        ]

    return verify


def _merged(parts: list[_Sums]) -> dict[str, list[str]]:
    """Per poster: count, sum and sum of squares, as text since they pass 2^53."""
    whole: _Sums = {}
    for part in parts:
        for poster, values in part.items():
            old = whole.get(poster, (0, 0, 0))
            whole[poster] = (old[0] + values[0], old[1] + values[1], old[2] + values[2])
    return {str(poster): [str(value) for value in values] for poster, values in sorted(whole.items())}


STRESSOR = WindowsStressor(prepare)
