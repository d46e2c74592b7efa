"""Reads requests and sends answers on connections that the calling worker owns: the part all models share."""

import time
from collections.abc import Sequence

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.servers.answers import CONTINUE, UNAVAILABLE, answer_to, refusal
from toolkit.servers.connection import Connection, address_text
from toolkit.servers.latency import Latencies
from toolkit.servers.ledger import Tally
from toolkit.servers.options import SECOND_NS, ServeOptions
from toolkit.servers.outgoing import AGAIN, INTERRUPTED, NOSIGNAL, Outgoing
from toolkit.servers.requests import BadRequest, Request, RequestReader, load_parser

IN = int(EPOLLIN)
OUT = int(EPOLLOUT)

_KNOWN_LIMIT = 256
_KNOWN_SIZE = 1024
_ANSWERS_AT_ONCE = 65536
"""Bytes of answers made before they are sent: what a connection may cost, beside one answer that is larger."""

NOTHING = -(2**63)
"""What stands for a size when nothing was received, or sent: the event was not about it."""

_NOT_NOW = (AGAIN, INTERRUPTED, NOTHING)


class Known:
    """The answer to bytes that were seen before and are whole requests without bodies: parsing is pure."""

    __slots__ = ("_memory", "_row", "address", "answer", "requests", "size")

    def __init__(self, question: bytes, requests: int, answer: bytes) -> None:
        self.requests = requests
        self.answer = answer
        self.size = len(answer)
        self._memory = [
            linux.ffi.from_buffer(each) for each in (answer, question)
        ]  # keeps the bytes where they are
        at, asked_at = map(_address_of, self._memory)
        self._row = linux.ffi.new("struct evk_answer *", (at, len(answer), asked_at, len(question)))
        self.address = _address_of(self._row)
        """Of a struct evk_answer, as the calls of a turn take it."""


def _address_of(memory: object) -> int:
    return int(linux.ffi.cast("uintptr_t", memory))


class Service(Outgoing):
    """One worker's reading and answering. While `draining`, each last answer says `Connection: close`."""

    def __init__(self, options: ServeOptions, tally: Tally, worker: int = 0, shedding: bool = False) -> None:
        super().__init__(options, tally, shedding)
        self.latencies = Latencies()
        self.draining = False
        self._httptools = load_parser()
        self._work_s = 0.0 if shedding else options.work_of(worker) / SECOND_NS
        self._known: dict[bytes, Known] = {}
        self._by_address: dict[int, Known] = {}

    # --- what a connection brought: each returns the events to wait for next, 0 when it is closed now ---

    def on_event(self, connection: Connection, size: int, data: bytes) -> int:
        """An event, with what receiving said: `size` bytes in `data`, 0 at end of file, -errno, NOTHING."""
        if connection.unsent is not None and not self.send_rest(connection):
            return 0 if connection.closed else OUT
        reader = connection.reader
        if reader is not None and (reader.complete or reader.complaint):
            self._go_on(connection, reader)
        if size > 0 and not connection.closed:
            self._on_data(connection, data)
        elif size not in _NOT_NOW:
            self.close(connection, by_client=not connection.ending)
        connection.note_rest()
        return self.wanted_by(connection)

    def wanted_by(self, connection: Connection) -> int:
        """The events a connection waits for, as it stands."""
        if connection.closed:
            return 0
        return IN if connection.unsent is None else OUT

    def known_answers(self) -> dict[bytes, Known]:
        """Answers to bytes that need no parsing, for connections `at_rest`; none while each last answer is special."""
        return {} if self.draining else self._known

    def known_at(self, address: int) -> Known:
        """The known answer whose `address` this is."""
        return self._by_address[address]

    def after_sending(self, connection: Connection, known: Known, sent: int) -> int:
        """Accounts for a known answer that was sent, or of which only `sent` bytes (or -errno) went out."""
        self.tally.begun += known.requests
        if sent == known.size:
            self.tally.answered += known.requests
            connection.deadline = self.idle_deadline
        else:  # the window is full or the peer is gone: the careful way finds out
            connection.owed += known.requests
            self.send(connection, known.answer[max(0, sent) :])
            connection.note_rest()
        return self.wanted_by(connection)

    # --- requests ---

    def _on_data(self, connection: Connection, data: bytes) -> None:
        if connection.ending:
            self._drop(connection)
            return
        reader = connection.reader
        if reader is None:
            reader = connection.reader = RequestReader(self._httptools)
        at_a_boundary = not reader.in_hand and not reader.complete
        try:
            reader.feed(data)
        except BadRequest as error:
            reader.complaint = error
        begun, reader.begun = reader.begun, 0
        self.tally.begun += begun
        if reader.complete or reader.in_body:
            # bytes of a head are no progress: that is how slowloris lives
            connection.deadline = self.idle_deadline
        if at_a_boundary and begun == len(reader.complete) and not reader.in_hand:
            self._remember(reader.complete, data)
        self._go_on(connection, reader)
        if reader.expects_continue and reader.in_hand and not connection.closed:
            reader.expects_continue = False
            linux.lib.evk_send(connection.fd, CONTINUE, len(CONTINUE), NOSIGNAL)

    def _go_on(self, connection: Connection, reader: RequestReader) -> None:
        """Answers what is complete as fast as the peer takes it, and then what was wrong behind it.

        Who pipelines and does not read gets no more answers made than fit: the rest waits, and nothing more is read.
        """
        while reader.complete and connection.unsent is None and not connection.closed:
            self._answer_some(connection, reader)
        if reader.complaint is not None and not reader.complete and not connection.closed:
            complaint, reader.complaint = reader.complaint, None
            self._refuse_bad(connection, reader, complaint)

    def _answer_some(self, connection: Connection, reader: RequestReader) -> None:
        answers: list[bytes] = []
        size = 0
        keep_alive = True
        while keep_alive and reader.complete and size < _ANSWERS_AT_ONCE:
            request = reader.complete.popleft()
            if self._work_s:
                time.sleep(self._work_s)
            is_last = not reader.complete and not reader.in_hand
            keep_alive = request.keep_alive and self.options.keep_alive and not (self.draining and is_last)
            if self.shedding:
                keep_alive = False
                self.tally.refused_requests += 1
                answers.append(UNAVAILABLE)
                continue
            peer = address_text(connection.peer) if request.target == b"/peer" else b""
            answers.append(answer_to(request, self.options.body_size, peer, keep_alive))
            connection.owed += 1
            size += len(answers[-1])
        if not keep_alive:  # what was pipelined behind it has no answer to expect (RFC 9112, 9.6)
            self.tally.refused_requests += len(reader.complete)
            reader.complete.clear()
        self.send(connection, b"".join(answers))
        if not keep_alive and not connection.closed:
            self.end(connection, crossing_counts=self.draining)
        self.latencies.add(time.monotonic_ns() - self.now)

    def _remember(self, requests: Sequence[Request], data: bytes) -> None:
        """Keeps the answer to bytes that are whole requests, with no body and nothing of their own in them."""
        if (
            self._work_s  # then every answer costs its time, and none is known beforehand
            or self.shedding
            or not requests
            or len(data) > _KNOWN_SIZE
            or len(self._known) >= _KNOWN_LIMIT
        ):
            return
        usual = self.options.keep_alive and all(
            request.target == b"/" and not request.body_size and request.keep_alive for request in requests
        )
        size = self.options.body_size
        if usual and len(requests) * size <= _ANSWERS_AT_ONCE:
            answer = b"".join(answer_to(request, size, b"", True) for request in requests)
            known = self._known[data] = Known(data, len(requests), answer)
            self._by_address[known.address] = known

    def _refuse_bad(self, connection: Connection, reader: RequestReader, complaint: BadRequest) -> None:
        """The request in hand, or bytes that never became one, are answered with the reason; the connection ends."""
        if not reader.in_hand:
            self.tally.begun += 1
        reader.in_hand = False
        self.tally.bad += 1
        connection.owed += 1
        if not connection.ending:
            self.send(connection, refusal(complaint.status.encode()))
            self.end(connection)
        else:
            connection.owed -= 1
            self.tally.refused_requests += 1

    def _drop(self, connection: Connection) -> None:
        if connection.linger_counts:  # the first bytes of a request that will have no answer
            connection.linger_counts = False
            self.tally.begun += 1
            self.tally.refused_requests += 1
            self.tally.lost += 1
