"""Reactor: one loop does everything; with more workers, a main reactor that accepts and sub-reactors that serve.

    one worker:    loop = listener + connections
    more workers:  main reactor (listener) -> in turn -> sub-reactor (connections)
                                                      -> sub-reactor (connections)

Connections are level-triggered and stay armed: no re-arming, the fewest calls of all models. Nothing bounds how many a
sub-reactor gets, and work that blocks holds up all connections of its loop.
"""

from collections import deque

from toolkit.ffi.flags import EPOLLIN
from toolkit.servers.accepting import AcceptingLoop
from toolkit.servers.buffers import BufferPool
from toolkit.servers.control import SIGNAL_TOKEN, Control
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Listener, Task
from toolkit.servers.loop import Loop
from toolkit.servers.stop import answer, doorbell, ring

_BELL = 1


class ReactorServer:
    """`run` is the main reactor's life, in the main thread."""

    def __init__(self, control: Control) -> None:
        """Listens, and makes the reactors; none runs yet.

        Raises:
            CannotListen: the address cannot be had.
        """
        options = control.options
        self._control = control
        self._listener = Listener(options.host, options.port)
        self._subs = (
            [SubReactor(control, index) for index in range(options.workers)] if options.workers > 1 else []
        )
        self._next = 0
        tally = Tally()
        self._main = AcceptingLoop(
            options, tally, control.stop, self._listener, give_to=self._hand_over if self._subs else None
        )
        if self._subs:
            control.figures.others.append(tally)
        else:
            self._notes = control.figures.worker("reactor", self._main.loop.service, tally)

    def run(self) -> None:
        """Serves until the exit has been obeyed."""
        control = self._control
        self._main.begin()
        self._main.loop.watch(control.signal_descriptor, EPOLLIN, SIGNAL_TOKEN, control.on_signal)
        threads = [control.start(sub.name, sub.run) for sub in self._subs]
        control.listening(self._listener.host, self._listener.port)
        while not control.stop.asked:
            self._main.turn(control.timeout_ms())
            control.tick()
        if self._subs:
            self._main.end()
            control.stop.drain()
            control.join(threads)
        else:
            self._main.end()
            self._notes.note_end()

    def _hand_over(self, task: Task) -> None:
        self._subs[self._next].take(task)
        self._next = (self._next + 1) % len(self._subs)


class SubReactor:
    """One thread with its own loop. It adopts all that it is given, at once."""

    def __init__(self, control: Control, index: int) -> None:
        self.name = f"sub-{index}"
        self._stop = control.stop
        self._given: deque[Task] = deque()
        self._bell = doorbell()
        self._stop.tell(self._bell)
        tally = Tally()
        self._loop = Loop(control.options, tally, BufferPool(1), index)
        self._notes = control.figures.worker(self.name, self._loop.service, tally)

    def take(self, task: Task) -> None:
        """Gives it a connection, from the main reactor's thread."""
        self._given.append(task)
        ring(self._bell)

    def run(self) -> None:
        """The thread's life."""
        self._loop.run_here()
        self._loop.watch(self._bell, EPOLLIN, _BELL, self._adopt)
        while not self._stop.draining:
            self._loop.turn()
        self._adopt()
        self._loop.drain(self._stop)
        self._loop.close()
        self._notes.note_end()

    def _adopt(self) -> None:
        answer(self._bell)
        while self._given:
            self._loop.adopt(self._given.popleft())
