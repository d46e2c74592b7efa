"""One worker's event loop: its own epoll, the connections it owns, their deadlines."""

import time
from collections.abc import Callable
from itertools import count
from threading import get_ident

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EPOLLET, EPOLLONESHOT
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor
from toolkit.servers.buffers import BATCH, SLOT_SIZE, Buffer, BufferPool
from toolkit.servers.connection import Connection
from toolkit.servers.draining import Draining
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Task
from toolkit.servers.options import ServeOptions
from toolkit.servers.outgoing import INTERRUPTED
from toolkit.servers.ownership import OwnerCheckedEpoll
from toolkit.servers.service import IN, Known, Service
from toolkit.servers.stop import Stop
from toolkit.servers.timers import TimingWheel

_FIRST_TOKEN = 1 << linux.compiled.EVK_TOKEN_SHIFT
"""Smaller data words are for what is not a connection: listeners, bells, queues."""

_ONE_SHOT = int(EPOLLET | EPOLLONESHOT)
_MILLISECOND_NS = 1_000_000

_generations = count(1)


def new_token(fd: int) -> int:
    """An identity for a connection, never used twice in a process: a generation above the descriptor's number."""
    token: int = next(_generations) * _FIRST_TOKEN + fd
    return token


class Loop:
    """Owned by the thread that calls `run_here` and then `turn`. `one_shot` registers connections
    EPOLLIN|EPOLLET|EPOLLONESHOT and re-arms each after its event; otherwise they are level-triggered and stay armed."""

    def __init__(
        self,
        options: ServeOptions,
        tally: Tally,
        buffers: BufferPool,
        worker: int = 0,
        one_shot: bool = False,
        shedding: bool = False,
    ) -> None:
        self.options = options
        self.tally = tally
        self.epoll = OwnerCheckedEpoll() if options.check_owner else Epoll()
        self._check_owner: Callable[[str], None] | None = getattr(self.epoll, "check", None)
        self.service = Service(options, tally, worker, shedding)
        self.connections: dict[int, Connection] = {}
        self._buffers = buffers
        self._extra = _ONE_SHOT if one_shot else 0
        self._one_shot = one_shot
        self.after_turn: Callable[[], None] | None = None
        self._handlers: dict[int, Callable[[], object]] = {}
        self._wheel = TimingWheel[Connection](options.idle_timeout_ns, self.service.now, self._expire)

    def run_here(self) -> None:
        """The calling thread owns this loop from now on."""
        if isinstance(self.epoll, OwnerCheckedEpoll):
            self.epoll.own()

    def watch(self, descriptor: Descriptor, events: int, token: int, handler: Callable[[], object]) -> None:
        """Calls `handler` whenever `descriptor` is ready, until `forget`. `token` is a small number."""
        self._handlers[token] = handler
        self.epoll.add(descriptor, events, token)

    def forget(self, descriptor: Descriptor, token: int) -> None:
        """Stops watching; again is harmless."""
        if self._handlers.pop(token, None) is not None:
            self.epoll.remove(descriptor)

    def adopt(self, task: Task) -> None:
        """Takes a connection over: this loop owns it from now on and alone will close it."""
        service = self.service
        connection = Connection(task.fd, new_token(task.fd), task.peer, service.idle_deadline)
        connection.owner = get_ident()
        connection.wanted = IN
        self.connections[connection.token] = connection
        self.epoll.add(task.fd, IN | self._extra, connection.token)
        self._wheel.add(connection)

    def turn(self, timeout_ms: int = -1) -> None:
        """One wait, everything it reports, and the deadlines that have passed."""
        due = self._wheel.next_ns(self.service.now)
        if due is not None:
            due_ms = due // _MILLISECOND_NS + 1
            timeout_ms = due_ms if timeout_ms < 0 else min(timeout_ms, due_ms)
        buffer = self._buffers.take()
        try:
            if self._check_owner:
                self._check_owner("wait in")
            count = linux.lib.evk_wait_receive(
                self.epoll.fileno(), buffer.pairs, BATCH, timeout_ms, buffer.slab, SLOT_SIZE, buffer.sizes
            )
            self.service.begin_batch()
            if count > 0:
                self._handle(buffer, count)
            elif count < 0 and count != INTERRUPTED:  # SIGCONT after SIGSTOP ends a wait too (signal(7))
                fail(count, "epoll_wait", self.epoll.fileno(), BATCH, timeout_ms)
        finally:
            self._buffers.give_back(buffer)
        self._wheel.advance(self.service.now)
        if self.after_turn is not None:
            self.after_turn()

    def _handle(self, buffer: Buffer, count: int) -> None:
        service, connections = self.service, self.connections
        sizes = linux.ffi.unpack(buffer.sizes, count)
        rows: list[int] = []
        quick: list[tuple[Connection, Known]] = []
        again: list[tuple[Descriptor, int, int]] = []
        handlers: list[Callable[[], object]] = []
        rearm = IN | self._extra if self._one_shot else 0
        for event, token in enumerate(linux.ffi.unpack(buffer.pairs, 2 * count)[::2]):
            connection = connections.get(token)
            if connection is None:
                if token in self._handlers:
                    handlers.append(self._handlers[token])
                else:
                    self.tally.stale_events += 1
                continue
            size = sizes[event]
            data = buffer.bytes_of(event, size) if size > 0 else b""
            known = service.known(connection, data) if size > 0 and connection.unsent is None else None
            if known is not None:
                rows += (connection.fd, known.address, known.size, rearm, token)
                quick.append((connection, known))
            else:
                self._follow(connection, service.on_event(connection, size, data), again)
        self.tally.events += count
        if quick:
            self._send(buffer, rows, quick, again)
        if again:
            self.epoll.modify_many(again)
        for handler in handlers:  # newcomers after those who are being served
            handler()

    def _send(
        self,
        buffer: Buffer,
        rows: list[int],
        quick: list[tuple[Connection, Known]],
        again: list[tuple[Descriptor, int, int]],
    ) -> None:
        """Sends all known answers of a turn, and re-arms their connections, in one call."""
        buffer.rows[0 : len(rows)] = rows
        service, count = self.service, len(quick)
        whole = linux.lib.evk_send_rearm(self.epoll.fileno(), buffer.rows, count, buffer.sent)
        if whole == count:
            deadline = service.idle_deadline
            requests = 0
            for connection, known in quick:
                connection.deadline = deadline
                requests += known.requests
            self.tally.begun += requests
            self.tally.answered += requests
        else:
            for (connection, known), sent in zip(quick, linux.ffi.unpack(buffer.sent, count), strict=True):
                wanted = service.after_sending(connection, known, sent)
                if sent != known.size:
                    self._follow(connection, wanted, again)
        service.latencies.add(time.monotonic_ns() - service.now)

    def _follow(self, connection: Connection, wanted: int, again: list[tuple[Descriptor, int, int]]) -> None:
        """Notes what a connection waits for after its event; `again` is re-armed at the end of the turn."""
        if wanted == 0:
            del self.connections[connection.token]
        elif self._one_shot or wanted != connection.wanted:
            connection.wanted = wanted
            again.append((connection.fd, wanted | self._extra, connection.token))

    def _expire(self, connection: Connection) -> None:
        self.service.expire(connection)
        self._look_again(connection)

    def _look_again(self, connection: Connection) -> None:
        """After something other than its own event may have changed what a connection waits for."""
        if connection.closed:
            self.connections.pop(connection.token, None)
            return
        wanted = self.service.wanted_by(connection)
        if wanted != connection.wanted:
            connection.wanted = wanted
            self.epoll.modify(connection.fd, wanted | self._extra, connection.token)
        self._wheel.add(connection)

    # --- the end ---

    def drain(self, stop: Stop) -> None:
        """Finishes what is in hand, until no connection is left or `stop` is over; then closes what is left.

        Each last answer says `Connection: close`. A connection without a request gets half a second to bring one
        that is on its way already, then our end of file.
        """
        draining = Draining(stop, [self.service])
        while self.connections and not stop.is_over:
            self.turn(draining.timeout_ms())
            if draining.idle_may_end():
                for connection in list(self.connections.values()):
                    if self.service.end_if_idle(connection):
                        self._look_again(connection)
        for connection in self.connections.values():
            self.service.abort(connection)
        self.connections.clear()

    def close(self) -> None:
        """Closes the epoll; again is harmless."""
        self.epoll.close()
