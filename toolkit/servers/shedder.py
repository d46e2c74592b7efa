"""The fast path of `--when-full shed`: reads a request, answers 503, ends the connection properly."""

from collections import deque

from toolkit.ffi.flags import EPOLLIN
from toolkit.servers.buffers import BufferPool
from toolkit.servers.control import Control
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Task
from toolkit.servers.loop import Loop
from toolkit.servers.stop import answer, doorbell, ring

_AT_MOST = 4096
_BELL = 2


class Shedder:
    """One thread with its own loop. It refuses kindly, and only so many at a time; beyond that it says no itself."""

    def __init__(self, control: Control, buffers: BufferPool) -> None:
        self._stop = control.stop
        self._waiting: deque[Task] = deque()
        self._bell = doorbell()
        self._stop.tell(self._bell)
        self._tally = Tally()
        self._loop = Loop(control.options, self._tally, buffers, one_shot=True, shedding=True)
        control.figures.others.append(self._tally)

    def take(self, task: Task) -> bool:
        """Hands a client over, from the acceptor's thread; False when there are too many already."""
        if len(self._waiting) + len(self._loop.connections) >= _AT_MOST:
            return False
        self._waiting.append(task)
        ring(self._bell)
        return True

    def run(self) -> None:
        """The thread's life."""
        self._loop.run_here()
        self._loop.watch(self._bell, EPOLLIN, _BELL, self._adopt)
        while not self._stop.draining:
            self._loop.turn()
        self._adopt()
        self._loop.drain(self._stop)
        self._loop.close()

    def _adopt(self) -> None:
        answer(self._bell)
        while self._waiting:
            self._loop.adopt(self._waiting.popleft())
