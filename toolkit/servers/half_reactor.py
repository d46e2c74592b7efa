"""Half-sync/half-reactor: one thread waits for all connections, workers take events from a queue.

    reactor: listener + every connection -> queue of events -> worker
                                                            -> worker

A worker reads, answers and re-arms (one-shot), so that events of one connection stay in order. A wake-up across
threads for every event is the price; in return a slow request holds up one worker and nobody's connection.
"""

import time

from toolkit.ffi import linux
from toolkit.ffi.flags import EFD_CLOEXEC, EFD_SEMAPHORE, EPOLLET, EPOLLIN
from toolkit.primitives.eventfd import EventFd
from toolkit.servers.buffers import BATCH, MOST, Buffer
from toolkit.servers.connection import Connection
from toolkit.servers.control import SIGNAL_TOKEN, Control
from toolkit.servers.draining import Draining
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Acceptor, Listener
from toolkit.servers.queue import BoundedQueue
from toolkit.servers.service import NOTHING, Service
from toolkit.servers.shared import SharedConnections

_LISTENER = 2
_RETRY_MS = 50
_IN_THE_QUEUE = -1
_MILLISECOND_NS = 1_000_000

Event = tuple[Connection, int] | None
"""A connection and its event bits; None tells a worker to end."""


class HalfReactorServer:
    """`run` is the reactor's life, in the main thread."""

    def __init__(self, control: Control) -> None:
        """Listens, and makes the workers; none runs yet.

        Raises:
            CannotListen: the address cannot be had.
        """
        options = self._options = control.options
        self._control = control
        self._listener = Listener(options.host, options.port)
        self._acceptor = Acceptor(self._listener)
        self._tally = Tally()
        self._service = Service(options, self._tally)
        self.shared = SharedConnections(options, self._service.now)
        self.queue = BoundedQueue[Event](options.queue_limit, options.low_mark)
        self.units = EventFd(0, EFD_SEMAPHORE | EFD_CLOEXEC)
        self._workers = [Worker(self, control, index) for index in range(options.workers)]
        control.figures.others.append(self._tally)
        control.figures.queues = [self.queue]

    def run(self) -> None:
        """Serves until the exit has been obeyed."""
        control, epoll = self._control, self.shared.epoll
        control.watch_signals(epoll)
        epoll.add(self._listener.fd, EPOLLIN | EPOLLET, _LISTENER)
        threads = [control.start(worker.name, worker.run) for worker in self._workers]
        control.listening(self._listener.host, self._listener.port)
        while not control.stop.asked:
            self._turn(control.timeout_ms())
            control.tick()
        self._accept()
        self._listener.close()
        self._acceptor.close()
        control.stop.drain()
        draining = Draining(control.stop, [self._service, *(worker.service for worker in self._workers)])
        while self.shared.by_token and not control.stop.is_over:
            self._turn(draining.timeout_ms())
            if draining.idle_may_end():
                self.shared.wind_up(self._service)
        for _ in self._workers:
            self._put(None)
        self.units.write(len(self._workers))
        control.join(threads)
        self.shared.abort_all(self._service)
        self.shared.close()
        self.units.close()

    def _turn(self, timeout_ms: int) -> None:
        due = self.shared.next_ns(self._service.now)
        if due is not None:
            timeout_ms = min(timeout_ms, due // _MILLISECOND_NS + 1)
        if self._acceptor.must_retry:
            timeout_ms = min(timeout_ms, _RETRY_MS)
        try:
            ready = self.shared.epoll.wait(BATCH, timeout_ms)
        except InterruptedError:
            ready = []
        self._service.begin_batch()
        accept = self._acceptor.must_retry
        handed = 0
        for token, events in ready:
            connection = self.shared.by_token.get(token)
            if connection is not None:
                connection.owner = _IN_THE_QUEUE
                self._put((connection, events))
                handed += 1
            elif token == SIGNAL_TOKEN:
                self._control.on_signal()
            elif token == _LISTENER:
                accept = True
            else:
                self._tally.stale_events += 1
        if handed:
            self.units.write(handed)
        if accept and not self._control.stop.draining:
            self._accept()
        self.shared.look_after(self._service)

    def _put(self, event: Event) -> None:
        """Never full: a connection has at most one event under way, so that connections bound the queue."""
        self.queue.put(event, over_limit=True)

    def _accept(self) -> None:
        for task in self._acceptor.accept_all(self._tally, self._service.now):
            self.shared.add(task, self._service)


class Worker:
    """One of the synchronous layer: blocks until there is an event, and serves it."""

    def __init__(self, server: HalfReactorServer, control: Control, index: int) -> None:
        self.name = f"worker-{index}"
        self._server = server
        self._stop = control.stop
        self._tally = Tally()
        self._buffer = Buffer()
        self.service = Service(control.options, self._tally, index)
        self._notes = control.figures.worker(self.name, self.service, self._tally)

    def run(self) -> None:
        """The thread's life."""
        server = self._server
        while True:
            server.units.read()
            event, _ = server.queue.get()
            if event is None:
                break
            if not self._stop.is_over:
                self._serve(*event)
        self._notes.note_end()

    def _serve(self, connection: Connection, events: int) -> None:
        service, shared = self.service, self._server.shared
        shared.claim(connection.token)
        service.begin_batch()
        self._tally.events += 1
        size = NOTHING
        if events & EPOLLIN or connection.unsent is None:
            size = linux.lib.evk_recv(connection.fd, self._buffer.slab, MOST, 0)
        data: bytes = self._buffer.received[:size] if size > 0 else b""
        known = service.known_answers().get(data) if connection.at_rest else None
        if known is None:
            shared.hand_back(connection, service.on_event(connection, size, data))
            return
        sent = linux.lib.evk_send(connection.fd, known.answer, known.size, 0)
        wanted = service.after_sending(connection, known, sent)
        service.latencies.add(time.monotonic_ns() - service.now)
        shared.hand_back(connection, wanted)
