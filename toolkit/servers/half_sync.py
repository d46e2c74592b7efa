"""Half-sync/half-async: one thread only accepts, a bounded queue, and workers that serve.

                     +-> worker: own epoll, owns the connections it took
    acceptor -> queue+-> worker
                     +-> worker

The acceptor has three duties: accept, hand over, obey the exit event. What to do when the queue is full is a policy:
`reject` answers 503 in the acceptor; `shed` gives the client to a thread that reads its request and answers 503;
`pause` takes the listener out of epoll until a worker has drained the queue to the low mark, so that the pressure stays
in the kernel's accept queue, and behind it in the clients.
"""

import time

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.servers.buffers import BufferPool
from toolkit.servers.control import SIGNAL_TOKEN, Control
from toolkit.servers.dispatch import dispatch_for
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Acceptor, Listener, Task, refuse
from toolkit.servers.loop import Loop
from toolkit.servers.shedder import Shedder
from toolkit.servers.stop import answer, doorbell, ring

_LISTENER = 2
_ROOM = 3
_QUEUE = 4
_STOP = 5
_RETRY_MS = 50


class HalfSyncServer:
    """`run` is the acceptor's life, in the main thread."""

    def __init__(self, control: Control) -> None:
        """Listens, and makes the workers; none runs yet.

        Raises:
            CannotListen: the address cannot be had.
        """
        options = self._options = control.options
        self._control = control
        self._stop = control.stop
        self._listener = Listener(options.host, options.port)
        self._acceptor = Acceptor(self._listener)
        self._tally = Tally()
        self._room = doorbell()
        self._epoll = Epoll()
        self._paused = False
        buffers = BufferPool(options.workers + 1)
        self._workers = [Worker(self, control, index, buffers) for index in range(options.workers)]
        self.dispatch = dispatch_for(
            options, lambda: ring(self._room), lambda index: len(self._workers[index].loop.connections)
        )
        self._shedder = Shedder(control, buffers) if options.when_full == "shed" else None
        control.figures.others.append(self._tally)
        control.figures.queues = list(self.dispatch.queues)

    def run(self) -> None:
        """Serves until the exit has been obeyed."""
        self._control.watch_signals(self._epoll)
        self._epoll.add(self._room, EPOLLIN, _ROOM)
        self._listen()
        threads = [self._control.start(worker.name, worker.run) for worker in self._workers]
        if self._shedder is not None:
            threads.append(self._control.start("shedder", self._shedder.run))
        self._control.listening(self._listener.host, self._listener.port)
        while not self._stop.asked:
            self._turn()
        self._accept_the_last()
        self._listener.close()
        self._stop.drain()
        self._control.join(threads)
        self._close()

    # --- the acceptor's three duties ---

    def _turn(self) -> None:
        timeout_ms = self._control.timeout_ms()
        if self._acceptor.must_retry:  # edge-triggered: no newcomer, no event
            timeout_ms = min(timeout_ms, _RETRY_MS)
        try:
            ready = self._epoll.wait(8, timeout_ms)
        except InterruptedError:
            ready = []
        for token, _ in ready:
            if token == SIGNAL_TOKEN:
                self._control.on_signal()
            elif token == _ROOM:
                answer(self._room)
                self._go_on()
            elif not self._paused:
                self._accept()
        if self._acceptor.must_retry and not self._paused:
            self._accept()
        self._control.tick()

    def _accept(self) -> None:
        now = time.monotonic_ns()
        if self._options.when_full != "pause":
            for task in self._acceptor.accept_all(self._tally, now):
                self._hand_over(task)
            return
        while (room := self.dispatch.room()) > 0:
            accepted = 0
            for task in self._acceptor.accept_all(self._tally, now, at_most=room):
                accepted += 1
                self._hand_over(task)
            if accepted < room:
                return  # EAGAIN: the kernel has no more
        self._pause()

    def _hand_over(self, task: Task, over_limit: bool = False) -> None:
        if self.dispatch.put(task, over_limit):
            return
        if self._shedder is None or not self._shedder.take(task):
            refuse(task.fd, self._tally)

    def _pause(self) -> None:
        if not self.dispatch.wait_for_room():
            ring(self._room)  # drained meanwhile: come back to it after the other events
        self._paused = True
        self._control.figures.pauses.begin()
        self._epoll.remove(self._listener.fd)

    def _go_on(self) -> None:
        if self._paused:
            self._paused = False
            self._control.figures.pauses.end()
            self._listen()

    def _listen(self) -> None:
        self._epoll.add(
            self._listener.fd, EPOLLIN | EPOLLET, _LISTENER
        )  # reports at once what is there already

    # --- the end ---

    def _accept_the_last(self) -> None:
        """Closing the listener resets whom the kernel has queued: they are accepted first, and served or refused."""
        self._control.figures.pauses.end()
        over_limit = self._options.when_full == "pause"
        for task in self._acceptor.accept_all(self._tally, time.monotonic_ns()):
            self._hand_over(task, over_limit)

    def _close(self) -> None:
        self._acceptor.close()
        self._epoll.close()
        self._room.close()
        self.dispatch.close()


class Worker:
    """One of the synchronous layer: takes one connection at a time from the queue, and serves those it has."""

    def __init__(self, server: HalfSyncServer, control: Control, index: int, buffers: BufferPool) -> None:
        self.name = f"worker-{index}"
        self._server = server
        self._stop = control.stop
        self._index = index
        self._bell = doorbell()
        self._stop.tell(self._bell)
        tally = Tally()
        self.loop = Loop(control.options, tally, buffers, index, one_shot=True)
        self._notes = control.figures.worker(self.name, self.loop.service, tally)

    def run(self) -> None:
        """The thread's life."""
        loop = self.loop
        loop.run_here()
        loop.watch(self._bell, EPOLLIN, _STOP, lambda: answer(self._bell))
        bell, events = self._server.dispatch.bell(self._index)
        loop.watch(bell, events, _QUEUE, self._take)
        while not self._stop.draining:
            loop.turn()
        loop.service.draining = True
        while self._take():
            loop.turn(0)  # one at a time to the end: the others take their share of the queue too
        loop.forget(bell, _QUEUE)
        loop.drain(self._stop)
        loop.close()
        self._notes.note_end()

    def _take(self) -> bool:
        task = self._server.dispatch.take(self._index)
        if task is not None:
            self.loop.adopt(task)
        return task is not None
