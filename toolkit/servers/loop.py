"""One worker's event loop: its own epoll, the connections it owns, their deadlines."""

import time
from collections.abc import Callable, Sequence
from itertools import count
from threading import get_ident

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EPOLLET, EPOLLONESHOT
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor
from toolkit.servers.buffers import BATCH, Buffer, BufferPool
from toolkit.servers.connection import Connection
from toolkit.servers.draining import Draining
from toolkit.servers.ledger import Published, Tally
from toolkit.servers.listener import Task
from toolkit.servers.options import ServeOptions
from toolkit.servers.outgoing import INTERRUPTED
from toolkit.servers.ownership import OwnerCheckedEpoll
from toolkit.servers.service import IN, NOTHING, Known, Service
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
        self._rearmed = IN | _ONE_SHOT if one_shot else 0
        """The events that a connection is armed with again by the call that answers it; 0: it has stayed armed."""
        self.published: Published | None = None
        """Where the tally is to be written at the end of each turn, for another process."""
        self._usual: Known | None = None
        """What was last asked for and is known: who asks it next is answered within the wait."""
        self._restless: set[int] = set()
        """Tokens of those not at rest. While there is one, bytes that look like the usual may be something else."""
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
            if timeout_ms < 0 or due_ms < timeout_ms:
                timeout_ms = due_ms
        epfd, buffer = self.epoll.fileno(), self._buffers.take()
        only_answered = False
        try:
            if self._check_owner:
                self._check_owner("wait in")
            usual = self._usual if not (self._restless or self.service.draining) else None
            address = usual.address if usual is not None else 0
            count = linux.lib.evk_wait_receive(epfd, buffer.turn, BATCH, timeout_ms, address, self._rearmed)
            self.service.begin_batch()
            if count > 0:
                self.tally.events += count
                tokens = buffer.tokens[:count].tolist()
                answered = buffer.turn.answered
                if answered:
                    self.service.latencies.add(buffer.turn.took_ns)
                if usual is not None and answered == count:
                    only_answered = True
                    self._after_usual(tokens, usual)
                else:
                    self._answer_each(epfd, buffer, tokens, usual)
            elif count < 0 and count != INTERRUPTED:  # SIGCONT after SIGSTOP ends a wait too (signal(7))
                fail(count, "epoll_wait", epfd, BATCH, timeout_ms)
        finally:
            self._buffers.give_back(buffer)
        if self._wheel.advance(self.service.now):
            only_answered = False
        if self.published is not None:
            if only_answered:
                self.published.publish_answers()
            else:
                self.published.publish()

    def _after_usual(self, tokens: list[int], usual: Known) -> None:
        """All asked for the same, and have it."""
        connections, deadline = self.connections, self.service.idle_deadline
        for token in tokens:
            connection = connections.get(token)
            if connection is None:
                self.tally.stale_events += 1
            else:
                connection.deadline = deadline
        self._note_answered(len(tokens) * usual.requests)

    def _answer_each(self, epfd: int, buffer: Buffer, tokens: list[int], usual: Known | None) -> None:
        """Known answers are noted down and go out in one call; what needs more is served event by event."""
        connections, received = self.connections, buffer.received
        known_answers, deadline = self.service.known_answers(), self.service.idle_deadline
        answers = [0] * len(tokens)
        others: list[int] = []
        again: list[tuple[Descriptor, int, int]] = []
        requests = known_count = end = 0
        if usual is not None:
            self._after_sending(buffer, tokens, [usual] * len(tokens), again)
        sent = buffer.sent[: len(tokens)].tolist()
        for event, size in enumerate(buffer.sizes[: len(tokens)].tolist()):
            if size > 0:
                begin, end = end, end + size
                if sent[event] != NOTHING:
                    continue
                known = known_answers.get(received[begin:end])
                if known is not None:
                    connection = connections.get(tokens[event])
                    if connection is not None and connection.at_rest:
                        self._usual = known
                        answers[event] = known.address
                        connection.deadline = deadline
                        requests += known.requests
                        known_count += 1
                        continue
            others.append(event)
        if known_count:
            buffer.answers[0 : len(tokens)] = answers
            if linux.lib.evk_answer_rearm(epfd, buffer.turn, len(tokens), self._rearmed) == known_count:
                self._note_answered(requests)
            else:
                known_at = self.service.known_at
                self._after_sending(
                    buffer, tokens, [known_at(each) if each else None for each in answers], again
                )
            self.service.latencies.add(time.monotonic_ns() - self.service.now)
        handlers = self._handle_others(buffer, tokens, others, again) if others else ()
        if again:
            self.epoll.modify_many(again)
        for handler in handlers:  # newcomers after those who are being served
            handler()

    def _note_answered(self, requests: int) -> None:
        self.tally.begun += requests
        self.tally.answered += requests

    def _after_sending(
        self,
        buffer: Buffer,
        tokens: list[int],
        answers: Sequence[Known | None],
        again: list[tuple[Descriptor, int, int]],
    ) -> None:
        """Accounts for each answer by itself: somebody did not take all of it, or others were asked something else."""
        for token, known, sent in zip(tokens, answers, buffer.sent[: len(tokens)].tolist(), strict=True):
            connection = self.connections.get(token)
            if known is not None and sent != NOTHING and connection is not None:
                wanted = self.service.after_sending(connection, known, sent)
                if sent != known.size:
                    self._follow(connection, wanted, again)

    def _handle_others(
        self, buffer: Buffer, tokens: list[int], events: list[int], again: list[tuple[Descriptor, int, int]]
    ) -> list[Callable[[], object]]:
        """What needs parsing and what is no data. Returns the handlers of descriptors that are no connections."""
        handlers: list[Callable[[], object]] = []
        for event in events:
            token = tokens[event]
            connection = self.connections.get(token)
            if connection is not None:
                size = buffer.sizes[event]
                data = buffer.bytes_of(event, size) if size > 0 else b""
                self._follow(connection, self.service.on_event(connection, size, data), again)
            elif token in self._handlers:
                handlers.append(self._handlers[token])
            else:
                self.tally.stale_events += 1
        return handlers

    def _follow(self, connection: Connection, wanted: int, again: list[tuple[Descriptor, int, int]]) -> None:
        """Notes what a connection waits for after its event; `again` is re-armed at the end of the turn."""
        self._note_rest(connection)
        if wanted == 0:
            del self.connections[connection.token]
        elif self._one_shot or wanted != connection.wanted:
            connection.wanted = wanted
            again.append((connection.fd, wanted | self._extra, connection.token))

    def _note_rest(self, connection: Connection) -> None:
        if connection.at_rest or connection.closed:
            self._restless.discard(connection.token)
        else:
            self._restless.add(connection.token)

    def _expire(self, connection: Connection) -> None:
        self.service.expire(connection)
        self._look_again(connection)

    def _look_again(self, connection: Connection) -> None:
        """After something other than its own event may have changed what a connection waits for."""
        self._note_rest(connection)
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

        Each last answer says `Connection: close`. A connection without a request gets a while to bring one
        that is on its way already, then our end of file.
        """
        draining = Draining(stop, [self.service])
        while self.connections and not stop.is_over:
            self.turn(draining.timeout_ms())
            if draining.idle_may_end():
                for connection in list(self.connections.values()):
                    if self.service.wind_up(connection):
                        self._look_again(connection)
        for connection in self.connections.values():
            self.service.abort(connection)
        self.connections.clear()

    def close(self) -> None:
        """Closes the epoll; again is harmless."""
        self.epoll.close()
