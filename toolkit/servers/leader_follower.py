"""Leader/follower: one epoll, one mutex, no queue. The leader waits, takes events, and lets the next one lead.

    loop:  mutex { wait }  -> serve what was taken  -> back in line for the mutex

Who has taken an event serves it himself, with what is in his cache: no hand-over, no queue, no condition variable.
Connections are one-shot, so that a second leader cannot get the same one.
"""

from threading import Lock

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EPOLLIN
from toolkit.servers.buffers import SLOT_SIZE, Buffer
from toolkit.servers.connection import Connection
from toolkit.servers.control import Control
from toolkit.servers.draining import Draining
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Acceptor, Listener
from toolkit.servers.outgoing import INTERRUPTED
from toolkit.servers.service import IN, Known, Service
from toolkit.servers.shared import ONE_SHOT, SharedConnections
from toolkit.servers.stop import answer, doorbell, ring

_BELL = 1
_LISTENER = 2
_ACCEPT_AT_ONCE = 16
_TAKE_AT_ONCE = 16
"""How many events a leader takes. One when each costs real work: what is taken cannot be given to a follower."""
_MILLISECOND_NS = 1_000_000
_SHORT_MS = 50


class LeaderFollowerServer:
    """`run` waits in the main thread; the workers do everything."""

    def __init__(self, control: Control) -> None:
        """Listens, and makes the workers; none runs yet.

        Raises:
            CannotListen: the address cannot be had.
        """
        options = control.options
        self._control = control
        self.stop = control.stop
        self.listener = Listener(options.host, options.port)
        self._tally = Tally()
        self._service = Service(options, self._tally)
        self.shared = SharedConnections(options, self._service.now)
        self.lead = Lock()
        self.bell = doorbell()
        self.stop.tell(self.bell)
        self.draining: Draining | None = None
        self._workers = [Worker(self, control, index) for index in range(options.workers)]
        control.figures.others.append(self._tally)

    def run(self) -> None:
        """Serves until the exit has been obeyed."""
        control, shared = self._control, self.shared
        shared.epoll.add(self.bell, EPOLLIN, _BELL)
        shared.epoll.add(self.listener.fd, EPOLLIN, _LISTENER)
        threads = [control.start(worker.name, worker.run) for worker in self._workers]
        control.listening(self.listener.host, self.listener.port)
        control.wait_until_stopping()
        ring(self.bell)  # the leader obeys: the listener is his
        control.join(threads)
        shared.abort_all(self._service)
        shared.close()
        self.bell.close()

    def obey(self, acceptor: Acceptor, service: Service) -> None:
        """The exit, by the leader with the mutex: accept whom the kernel has queued, close the listener, drain."""
        for task in acceptor.accept_all(self._tally):
            self.shared.add(task, service)
        self.listener.close()
        self.draining = Draining(self.stop, [worker.service for worker in self._workers])
        self.stop.drain()


class Worker:
    """Leader for a wait, then one of those who work; in the end back in line."""

    def __init__(self, server: LeaderFollowerServer, control: Control, index: int) -> None:
        self.name = f"worker-{index}"
        self._server = server
        self._stop = control.stop
        self._tally = Tally()
        self._buffer = Buffer()
        self._acceptor = Acceptor(server.listener)
        self._take_at_most = 1 if control.options.work_of(index) else _TAKE_AT_ONCE
        self.service = Service(control.options, self._tally, index)
        self._notes = control.figures.worker(self.name, self.service, self._tally)

    def run(self) -> None:
        """The thread's life."""
        while not self._has_ended():
            with self._server.lead:
                taken = [] if self._has_ended() else self._wait()
            if taken:
                self._serve(taken)
        self._acceptor.close()
        self._notes.note_end()

    def _has_ended(self) -> bool:
        return self._stop.draining and (not self._server.shared.by_token or self._stop.is_over)

    # --- as leader, with the mutex ---

    def _wait(self) -> list[int]:
        """The data words of the events taken, in order; their bytes are read already, their connections ours."""
        server, shared, buffer = self._server, self._server.shared, self._buffer
        epfd = shared.epoll.fileno()
        at_most, timeout_ms = self._take_at_most, self._timeout_ms()
        count: int = linux.lib.evk_wait_receive(
            epfd, buffer.pairs, at_most, timeout_ms, buffer.slab, SLOT_SIZE, buffer.sizes
        )
        if count < 0 and count != INTERRUPTED:
            fail(count, "epoll_wait", epfd, at_most, timeout_ms)
        self.service.begin_batch()
        taken: list[int] = linux.ffi.unpack(buffer.pairs, 2 * count)[::2] if count > 0 else []
        for token in taken:  # before anybody looks for idle ones: what was read is in no socket any more
            shared.claim(token)
        if server.stop.asked and server.draining is None:
            server.obey(self._acceptor, self.service)
        elif server.draining is None and _LISTENER in taken:
            for task in self._acceptor.accept_all(self._tally, self.service.now, _ACCEPT_AT_ONCE):
                shared.add(task, self.service)
        shared.look_after(self.service)
        draining = server.draining
        if draining is not None and draining.idle_may_end():
            shared.end_the_idle(self.service)
        return taken

    def _timeout_ms(self) -> int:
        if self._stop.draining or self._acceptor.must_retry:
            return _SHORT_MS
        due = self._server.shared.next_ns(self.service.now)
        return -1 if due is None else due // _MILLISECOND_NS + 1

    # --- as one of those who work ---

    def _serve(self, taken: list[int]) -> None:
        service, shared, buffer = self.service, self._server.shared, self._buffer
        self._tally.events += len(taken)
        sizes = linux.ffi.unpack(buffer.sizes, len(taken))
        rows: list[int] = []
        quick: list[tuple[Connection, Known]] = []
        for event, token in enumerate(taken):
            connection = shared.by_token.get(token)
            if connection is None:
                self._other_event(token)
                continue
            size = sizes[event]
            data = buffer.bytes_of(event, size) if size > 0 else b""
            known = service.known(connection, data) if size > 0 and connection.unsent is None else None
            if known is None:
                shared.hand_back(connection, service.on_event(connection, size, data))
            else:
                rows += (connection.fd, known.address, known.size, IN | ONE_SHOT, token)
                quick.append((connection, known))
        if quick:
            self._send(rows, quick)

    def _send(self, rows: list[int], quick: list[tuple[Connection, Known]]) -> None:
        service, shared, buffer = self.service, self._server.shared, self._buffer
        for connection, _ in quick:  # armed by the call, and not due for a whole idle timeout
            connection.deadline = service.idle_deadline
            connection.owner = 0
        buffer.rows[0 : len(rows)] = rows
        linux.lib.evk_send_rearm(shared.epoll.fileno(), buffer.rows, len(quick), buffer.sent)
        for (connection, known), sent in zip(quick, linux.ffi.unpack(buffer.sent, len(quick)), strict=True):
            if sent == known.size:
                self._tally.begun += known.requests
                self._tally.answered += known.requests
            else:  # not armed: it is still ours
                shared.claim(connection.token)
                shared.hand_back(connection, service.after_sending(connection, known, sent))

    def _other_event(self, token: int) -> None:
        if token == _BELL:
            answer(self._server.bell)
        elif token > _LISTENER:
            self._tally.stale_events += 1
