"""Leader/follower: one epoll, one mutex, no queue. The leader waits, takes events, and lets the next one lead.

    loop:  mutex { wait, answer what is known }  -> work for the rest  -> back in line for the mutex

Who has taken an event serves it himself, with what is in his cache: no hand-over, no queue, no condition variable.
Who can answer at once leads on; a follower is promoted only when there is something to do meanwhile.
Connections are one-shot, so that a second leader cannot get the same one.
"""

import time
from threading import Lock

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.ffi.flags import EPOLLIN
from toolkit.servers.buffers import BATCH, Buffer
from toolkit.servers.connection import Connection
from toolkit.servers.control import Control
from toolkit.servers.draining import Draining
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Acceptor, Listener
from toolkit.servers.outgoing import INTERRUPTED
from toolkit.servers.service import IN, Service
from toolkit.servers.shared import ONE_SHOT, SharedConnections
from toolkit.servers.stop import answer, doorbell, ring

_BELL = 1
_LISTENER = 2
_ACCEPT_AT_ONCE = 16
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
        # one when each costs real work: what is taken cannot be given to a follower
        self._take_at_most = 1 if control.options.work_of(index) else BATCH
        self.service = Service(control.options, self._tally, index)
        self._notes = control.figures.worker(self.name, self.service, self._tally)

    def run(self) -> None:
        """The thread's life."""
        while not self._has_ended():
            with self._server.lead:
                to_do = self._lead()
            self._work(to_do)
        self._acceptor.close()
        self._notes.note_end()

    def _has_ended(self) -> bool:
        return self._stop.draining and (not self._server.shared.by_token or self._stop.is_over)

    # --- as leader, with the mutex ---

    def _lead(self) -> list[tuple[Connection, int, bytes]]:
        """Leads until there is something to do that may take its time: connections, ours now, with what they brought.

        Answers that are known go out at once. Another thread would be woken for less than the wake-up costs, unless
        there was more than one turn takes.
        """
        while not self._has_ended():
            taken = self._wait()
            if taken:
                to_do = self._answer_known(taken)
                if to_do or len(taken) == BATCH:
                    return to_do
        return []

    def _wait(self) -> list[int]:
        """The data words of the events taken, in order; their bytes are read already, their connections ours."""
        server, shared, buffer = self._server, self._server.shared, self._buffer
        epfd = shared.epoll.fileno()
        at_most, timeout_ms = self._take_at_most, self._timeout_ms()
        count: int = linux.lib.evk_wait_receive(epfd, buffer.turn, at_most, timeout_ms, 0, 0)
        if count < 0 and count != INTERRUPTED:
            fail(count, "epoll_wait", epfd, at_most, timeout_ms)
        self.service.begin_batch()
        taken: list[int] = buffer.tokens[:count].tolist() if count > 0 else []
        self._tally.events += len(taken)
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
            shared.wind_up(self.service)
        return taken

    def _timeout_ms(self) -> int:
        if self._stop.draining or self._acceptor.must_retry:
            return _SHORT_MS
        due = self._server.shared.next_ns(self.service.now)
        return -1 if due is None else due // _MILLISECOND_NS + 1

    def _answer_known(self, taken: list[int]) -> list[tuple[Connection, int, bytes]]:
        """Answers what is known in one call; what is left is to be worked for."""
        service, by_token, received = self.service, self._server.shared.by_token, self._buffer.received
        known_answers, deadline = service.known_answers(), service.idle_deadline
        answers = [0] * len(taken)
        to_do: list[tuple[Connection, int, bytes]] = []
        requests = known_count = end = 0
        for event, size in enumerate(self._buffer.sizes[: len(taken)].tolist()):
            begin, end = end, end + max(size, 0)
            connection = by_token.get(taken[event])
            if connection is None:
                self._other_event(taken[event])
                continue
            data: bytes = received[begin:end]
            known = known_answers.get(data)
            if known is None or not connection.at_rest:
                to_do.append((connection, size, data))
                continue
            answers[event] = known.address
            connection.deadline, connection.owner = deadline, 0  # armed by the call
            requests += known.requests
            known_count += 1
        if known_count and self._send(answers) == known_count:
            self._tally.begun += requests
            self._tally.answered += requests
        elif known_count:
            self._after_sending(taken, answers)
        return to_do

    def _send(self, answers: list[int]) -> int:
        """Sends, and re-arms those who took all. Returns how many did."""
        buffer, epfd = self._buffer, self._server.shared.epoll.fileno()
        buffer.answers[0 : len(answers)] = answers
        whole: int = linux.lib.evk_answer_rearm(epfd, buffer.turn, len(answers), IN | ONE_SHOT)
        self.service.latencies.add(time.monotonic_ns() - self.service.now)
        return whole

    def _after_sending(self, taken: list[int], answers: list[int]) -> None:
        """Somebody did not take all of a known answer: that one was not armed, and is still ours."""
        service, shared = self.service, self._server.shared
        for token, address, sent in zip(
            taken, answers, self._buffer.sent[: len(taken)].tolist(), strict=True
        ):
            if not address:
                continue
            known = service.known_at(address)
            if sent == known.size:
                self._tally.begun += known.requests
                self._tally.answered += known.requests
                continue
            connection = shared.claim(token)
            if connection is not None:
                shared.hand_back(connection, service.after_sending(connection, known, sent))

    # --- as one of those who work ---

    def _work(self, to_do: list[tuple[Connection, int, bytes]]) -> None:
        for connection, size, data in to_do:
            self._server.shared.hand_back(connection, self.service.on_event(connection, size, data))

    def _other_event(self, token: int) -> None:
        if token == _BELL:
            answer(self._server.bell)
        elif token > _LISTENER:
            self._tally.stale_events += 1
