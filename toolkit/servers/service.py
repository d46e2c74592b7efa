"""Reads requests and sends answers on connections that the calling worker owns: the part all models share."""

import time

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.servers.answers import CONTINUE, answer_to, refusal
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
NOTHING_READ = -(2**63)
"""What stands for a size when nothing was received: the event was not about reading."""

_NOT_NOW = (AGAIN, INTERRUPTED, NOTHING_READ)


class Known:
    """The answer to bytes that were seen before and are whole requests without bodies: parsing is pure."""

    __slots__ = ("_memory", "address", "answer", "requests", "size")

    def __init__(self, requests: int, answer: bytes) -> None:
        self.requests = requests
        self.answer = answer
        self.size = len(answer)
        self._memory = linux.ffi.from_buffer(answer)  # keeps the bytes where they are
        self.address = int(linux.ffi.cast("uintptr_t", self._memory))


class Service(Outgoing):
    """One worker's reading and answering. While `draining`, each last answer says `Connection: close`."""

    def __init__(self, options: ServeOptions, tally: Tally, worker: int = 0, shedding: bool = False) -> None:
        super().__init__(options, tally, shedding)
        self.latencies = Latencies()
        self.draining = False
        self._httptools = load_parser()
        self._work_s = 0.0 if shedding else options.work_of(worker) / SECOND_NS
        self._known: dict[bytes, Known] = {}

    # --- what a connection brought: each returns the events to wait for next, 0 when it is closed now ---

    def on_event(self, connection: Connection, size: int, data: bytes) -> int:
        """An event, with what receiving said: `size` bytes in `data`, 0 at end of file, -errno, NOTHING_READ."""
        if connection.unsent is not None and not self.send_rest(connection):
            return 0 if connection.closed else OUT
        if size > 0:
            self._on_data(connection, data)
        elif size not in _NOT_NOW:
            self.close(connection, by_client=not connection.ending)
        return self.wanted_by(connection)

    def wanted_by(self, connection: Connection) -> int:
        """The events a connection waits for, as it stands."""
        if connection.closed:
            return 0
        return IN if connection.unsent is None else OUT

    def known(self, connection: Connection, data: bytes) -> Known | None:
        """The answer to `data` if it is known without parsing, and may be given to `connection` now."""
        found = self._known.get(data)
        if found is None or connection.ending or self.draining:
            return None
        reader = connection.reader
        return found if reader is None or not reader.in_hand else None

    def after_sending(self, connection: Connection, known: Known, sent: int) -> int:
        """Accounts for a known answer that was sent, or of which only `sent` bytes (or -errno) went out."""
        self.tally.begun += known.requests
        if sent == known.size:
            self.tally.answered += known.requests
            connection.deadline = self.idle_deadline
        else:  # the window is full or the peer is gone: the careful way finds out
            connection.owed += known.requests
            self.send(connection, known.answer[max(0, sent) :])
        return self.wanted_by(connection)

    # --- requests ---

    def _on_data(self, connection: Connection, data: bytes) -> None:
        if connection.ending:
            self._drop(connection)
            return
        reader = connection.reader
        if reader is None:
            reader = connection.reader = RequestReader(self._httptools)
        at_a_boundary = not reader.in_hand
        complaint = None
        try:
            reader.feed(data)
        except BadRequest as error:
            complaint = error
        begun, reader.begun = reader.begun, 0
        self.tally.begun += begun
        requests, reader.complete = reader.complete, []
        if requests or reader.in_body:
            connection.deadline = (
                self.idle_deadline
            )  # bytes of a head are no progress: that is how slowloris lives
        if requests:
            answers = self._answer(connection, reader, requests)
            if at_a_boundary and begun == len(requests) == len(answers) and not reader.in_hand:
                self._remember(requests, data, b"".join(answers))
        if connection.closed:
            return
        if complaint is not None:
            self._refuse_bad(connection, reader, complaint)
        elif reader.expects_continue and reader.in_hand:
            reader.expects_continue = False
            linux.lib.evk_send(connection.fd, CONTINUE, len(CONTINUE), NOSIGNAL)

    def _answer(self, connection: Connection, reader: RequestReader, requests: list[Request]) -> list[bytes]:
        if self.shedding:
            self.tally.refused_requests += len(requests)
            self.send(connection, refusal(b"503 Service Unavailable"))
            self.end(connection)
            return []
        answers: list[bytes] = []
        keep_alive = True
        for number, request in enumerate(requests, 1):
            if self._work_s:
                time.sleep(self._work_s)
            is_last = number == len(requests) and not reader.in_hand
            keep_alive = request.keep_alive and self.options.keep_alive and not (self.draining and is_last)
            peer = address_text(connection.peer) if request.target == b"/peer" else b""
            answers.append(answer_to(request, self.options.body_size, peer, keep_alive))
            if not keep_alive:
                break
        self.tally.refused_requests += len(requests) - len(answers)  # pipelined behind `Connection: close`
        connection.owed += len(answers)
        self.send(connection, b"".join(answers))
        if not keep_alive and not connection.closed:
            self.end(connection, crossing_counts=self.draining)
        self.latencies.add(time.monotonic_ns() - self.now)
        return answers if keep_alive else []

    def _remember(self, requests: list[Request], data: bytes, answer: bytes) -> None:
        """Keeps the answer to bytes that were whole requests, with no body and nothing of their own in them."""
        if (
            not self._work_s  # else every answer costs its time, and none is known beforehand
            and len(data) <= _KNOWN_SIZE
            and len(self._known) < _KNOWN_LIMIT
            and all(request.target == b"/" and not request.body_size for request in requests)
        ):
            self._known[data] = Known(len(requests), answer)

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
