"""Many connections on one epoll, each asking again and again: closed or open loop."""

import socket
import time
from collections import Counter, deque
from collections.abc import Callable
from heapq import heappop, heappush

from toolkit.ffi import linux
from toolkit.ffi.errors import errno_name, fail
from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.load.client import Client, ConnectFailed, request_for
from toolkit.load.plan import LoadFigures, LoadPlan
from toolkit.primitives.epoll import Epoll
from toolkit.servers.buffers import BATCH, Buffer
from toolkit.servers.latency import Latencies
from toolkit.servers.options import SECOND_NS
from toolkit.servers.outgoing import AGAIN, INTERRUPTED, NOSIGNAL
from toolkit.servers.service import NOTHING

_IN = int(EPOLLIN)
_OUT = int(EPOLLOUT)
_MILLISECOND_NS = 1_000_000
_AGAIN_AFTER_NS = 50 * _MILLISECOND_NS
_SILENT = (AGAIN, INTERRUPTED, NOTHING)


class Generator:
    """`run` it once. `stop` may be called from a signal handler or another thread: it then ends with what it has."""

    def __init__(self, plan: LoadPlan) -> None:
        """Resolves the address.

        Raises:
            OSError: the name is unknown.
        """
        self._plan = plan
        found = socket.getaddrinfo(plan.host, plan.port, type=socket.SOCK_STREAM)[0]
        self._family: int = found[0]
        self._address: tuple[object, ...] = found[4]
        self._request = request_for(plan, plan.path)
        self._clients: dict[int, Client] = {}
        self._free: deque[Client] = deque()
        self._reconnect: list[int] = []
        self._latencies = Latencies()
        self._late = Latencies()
        self._errors: Counter[str] = Counter()
        self._sent = self._answered = self._unanswered = self._misdelivered = self._opened = 0
        self._interval_ns = SECOND_NS / plan.rate_per_s if plan.rate_per_s else 0.0
        self._next_start = 0.0
        self._accepting = True
        self._stopped = False

    def stop(self) -> None:
        """Asks the run to end soon: what is in flight may still be answered."""
        self._stopped = True

    def run(
        self,
        when_due: Callable[[LoadFigures], None] = lambda _figures: None,
        when_under_way: Callable[[], None] = lambda: None,
        every_ns: int = SECOND_NS,
    ) -> LoadFigures:
        """Loads until the plan is fulfilled, and then waits for answers under way.

        `when_under_way` is called once there have been as many answers as there are connections.

        Raises:
            CallError: epoll failed.
        """
        begin = time.monotonic_ns()
        end, due = begin + self._plan.duration_ns, begin + every_ns
        self._next_start = float(begin)
        with Epoll() as self._epoll:
            buffer = Buffer()
            for _ in range(self._plan.connections):
                self._open(begin)
            now = begin
            while not self._stopped and now < end and self._more_to_send():
                self._turn(buffer, now, end)
                now = time.monotonic_ns()
                if now >= due:
                    when_due(self._figures(now - begin))
                    due = now + every_ns
                if self._answered >= self._plan.connections:
                    when_under_way()  # again is harmless
            ran_ns = time.monotonic_ns() - begin
            self._settle(buffer)
        return self._figures(ran_ns)

    def _more_to_send(self) -> bool:
        return self._plan.requests is None or self._answered + self._unanswered < self._plan.requests

    def _settle(self, buffer: Buffer) -> None:
        """No new requests; those in flight get time to be answered, and are unanswered otherwise."""
        self._accepting = False
        now = time.monotonic_ns()
        end = now + self._plan.settle_ns
        while now < end and any(client.started for client in self._clients.values()):
            self._turn(buffer, now, min(end, now + 100 * _MILLISECOND_NS))
            now = time.monotonic_ns()
        for client in list(self._clients.values()):
            self._lose(client, "unfinished at the end")

    # --- one turn ---

    def _turn(self, buffer: Buffer, now: int, end: int) -> None:
        while self._reconnect and self._reconnect[0] <= now:
            heappop(self._reconnect)
            self._open(now)
        if self._interval_ns and self._accepting:
            self._start_due(now)
        timeout_ms = self._timeout_ms(now, end)
        count = linux.lib.evk_wait_receive(self._epoll.fileno(), buffer.turn, BATCH, timeout_ms, 0, 0)
        if count < 0:
            if count != INTERRUPTED:
                fail(count, "epoll_wait", self._epoll.fileno(), BATCH, timeout_ms)
            return
        now = time.monotonic_ns()
        sizes = buffer.sizes[:count].tolist() if count else ()
        for event, token in enumerate(buffer.tokens[:count].tolist() if count else ()):
            client = self._clients.get(token)
            if client is None:
                continue
            if not client.connected:
                self._connected(client, now)
            size = sizes[event]
            if size > 0:
                self._take(client, buffer.bytes_of(event, size), now)
            elif size == 0:
                self._lose(client, "closed before the answer")
            elif size not in _SILENT:
                self._lose(client, f"read {errno_name(-size)}")

    def _timeout_ms(self, now: int, end: int) -> int:
        """Rounded down when an open loop's next start is near: then it waits here, to the microsecond."""
        until = end
        if self._reconnect:
            until = min(until, self._reconnect[0])
        if self._interval_ns and self._accepting and self._free:
            gap = int(self._next_start) - now
            if gap < _MILLISECOND_NS:
                if gap > 0:
                    self._epoll.pwait2(None, 1, gap)
                return 0
            until = min(until, now + gap - _MILLISECOND_NS)
        return max(0, (until - now) // _MILLISECOND_NS + 1)

    # --- connections ---

    def _open(self, now: int) -> None:
        try:
            client = Client(self._family, self._address)
        except ConnectFailed as failure:
            self._errors[failure.kind] += 1
            heappush(self._reconnect, now + _AGAIN_AFTER_NS)
            return
        self._clients[client.token] = client
        self._epoll.add(client.fd, _OUT, client.token)

    def _connected(self, client: Client, now: int) -> None:
        number = client.error()
        if number:
            self._drop(client, f"connect {errno_name(number)}", now)
            return
        client.connected = True
        self._opened += 1
        self._epoll.modify(client.fd, _IN, client.token)
        self._becomes_free(client, now)

    def _becomes_free(self, client: Client, now: int) -> None:
        if not self._accepting:
            return
        if self._interval_ns:
            self._free.append(client)
        else:
            self._ask(client, now)

    def _start_due(self, now: int) -> None:
        while self._free and self._next_start <= now:
            client = self._free.popleft()
            if client.fd < 0:
                continue
            self._late.add(now - int(self._next_start))
            self._ask(client, int(self._next_start))
            self._next_start += self._interval_ns

    def _ask(self, client: Client, started: int) -> None:
        if self._plan.requests is not None and self._sent >= self._plan.requests:
            return
        request = self._request
        if self._plan.check_echo:
            client.expected = b"%d-%d" % (client.token, self._sent)
            request = request_for(self._plan, f"/echo/{client.expected.decode()}")
        elif self._plan.distinct:
            request = request_for(self._plan, self._plan.path, self._sent)
        self._sent += 1
        client.started = started
        sent = linux.lib.evk_send(client.fd, request, len(request), NOSIGNAL)
        if sent != len(request):  # a request always fits an empty socket buffer
            self._lose(client, f"write {errno_name(-sent)}" if sent < 0 else "write cut short")

    def _take(self, client: Client, data: bytes, now: int) -> None:
        try:
            body = client.take(data)
        except ValueError as error:
            self._lose(client, str(error))
            return
        if body is None:
            return
        if not client.started:
            self._lose(client, f"status {client.status.decode()} unasked")
            return
        self._answered += 1
        self._latencies.add(now - client.started)
        client.started = 0
        client.answers += 1
        if client.status != b"200":
            self._errors[f"status {client.status.decode()}"] += 1
        elif client.expected is not None and body.rstrip(b"\n") != client.expected:
            self._misdelivered += 1
        if client.wants_close or client.answers == self._plan.per_connection:
            self._drop(client, None, now)
        else:
            self._becomes_free(client, now)

    def _lose(self, client: Client, kind: str) -> None:
        """The connection is of no more use; a request in flight on it stays unanswered."""
        if client.started:
            self._unanswered += 1
            client.started = 0
        elif kind in ("closed before the answer", "unfinished at the end"):
            self._drop(client, None, time.monotonic_ns())  # an idle connection may be closed by either side
            return
        self._drop(client, kind, time.monotonic_ns())

    def _drop(self, client: Client, kind: str | None, now: int) -> None:
        if kind is not None:
            self._errors[kind] += 1
        self._clients.pop(client.token, None)
        client.close()
        if self._accepting:
            heappush(self._reconnect, now if kind is None else now + _AGAIN_AFTER_NS)

    def _figures(self, ran_ns: int) -> LoadFigures:
        plan = self._plan
        in_flight = sum(1 for client in self._clients.values() if client.started)
        return LoadFigures(
            host=plan.host,
            port=plan.port,
            connections=plan.connections,
            open_loop=bool(plan.rate_per_s),
            planned_ns=plan.duration_ns,
            ran_ns=ran_ns,
            sent=self._sent - in_flight,
            answered=self._answered,
            unanswered=self._unanswered,
            misdelivered=self._misdelivered,
            answered_per_s=round(self._answered * SECOND_NS / max(1, ran_ns), 1),
            latency_ns=self._latencies.percentiles(),
            opened_connections=self._opened,
            errors=dict(sorted(self._errors.items())),
            rate_per_s=plan.rate_per_s,
            late_ns=self._late.percentiles() if plan.rate_per_s else None,
        )
