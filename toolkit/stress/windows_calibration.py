"""How fast this machine is with completion ports, so that results of different machines can be compared by ratio."""

import time

from toolkit.primitives.iocp import CompletionPort

_ROUNDS = 12
_OPS = 200  # about 5 ms a round


def calibrate() -> float:
    """Packets per second, posted and taken by one thread: the best of twelve short rounds."""
    best = 0.0
    with CompletionPort() as port:
        for _ in range(_ROUNDS):
            begin = time.perf_counter()
            for number in range(_OPS):
                port.post(number)
                port.wait()
            best = max(best, _OPS / (time.perf_counter() - begin))
    return best
