"""Connections that many threads serve through one epoll, one thread at a time each.

A registration is one-shot: whoever gets its event owns the connection until it is handed back, which re-arms it; so
events of one connection stay in order. While it is armed nobody owns it (`owner` 0). Ending an idle one must not race
with handing back, since the descriptor's number may name another connection by then: both happen under one lock.
"""

from threading import RLock, get_ident

from toolkit.ffi.flags import EPOLLET, EPOLLONESHOT
from toolkit.primitives.epoll import Epoll
from toolkit.servers.connection import Connection
from toolkit.servers.listener import Task
from toolkit.servers.loop import new_token
from toolkit.servers.options import ServeOptions
from toolkit.servers.service import IN, Service
from toolkit.servers.timers import TimingWheel

ONE_SHOT = int(EPOLLET | EPOLLONESHOT)


class SharedConnections:
    """All connections of a server, by token."""

    def __init__(self, options: ServeOptions, now: int) -> None:
        self.epoll = Epoll()
        self.by_token: dict[int, Connection] = {}
        self._lock = RLock()
        self._wheel = TimingWheel[Connection](options.idle_timeout_ns, now, self._expire)
        self._service: Service | None = None

    def add(self, task: Task, service: Service) -> None:
        """Registers a new connection; armed, so that nobody owns it."""
        connection = Connection(task.fd, new_token(task.fd), task.peer, service.idle_deadline)
        with self._lock:
            self.by_token[connection.token] = connection
            self._wheel.add(connection)
        self.epoll.add(task.fd, IN | ONE_SHOT, connection.token)

    def claim(self, token: int) -> Connection | None:
        """The connection whose event the calling thread has got, and owns now; None for a stale event."""
        connection = self.by_token.get(token)
        if connection is not None:
            connection.owner = get_ident()
        return connection

    def hand_back(self, connection: Connection, wanted: int) -> None:
        """Re-arms it for `wanted`, or forgets it when it was closed (0)."""
        if wanted == 0:
            self.by_token.pop(connection.token, None)
            return
        with self._lock:
            connection.owner = 0
            self.epoll.modify(connection.fd, wanted | ONE_SHOT, connection.token)

    def look_after(self, service: Service) -> None:
        """Ends those whose deadline has passed, in the name of `service`."""
        with self._lock:
            self._service = service
            self._wheel.advance(service.now)

    def next_ns(self, now: int) -> int | None:
        """Nanoseconds until `look_after` has something to do; None while it has not."""
        return self._wheel.next_ns(now)

    def wind_up(self, service: Service) -> None:
        """As an exit does: ends those that have nothing in hand and are in nobody's hands; closes those it ended."""
        with self._lock:
            for connection in list(self.by_token.values()):
                if connection.owner != 0:
                    continue
                connection.owner = get_ident()
                changed = service.wind_up(connection)
                if connection.closed:
                    self.by_token.pop(connection.token, None)
                    continue
                connection.owner = 0
                if changed:
                    self._wheel.add(connection)

    def abort_all(self, service: Service) -> None:
        """Closes what is left, once no other thread serves any more."""
        for connection in self.by_token.values():
            connection.owner = get_ident()
            service.abort(connection)
        self.by_token.clear()

    def close(self) -> None:
        """Closes the epoll; again is harmless."""
        self.epoll.close()

    def _expire(self, connection: Connection) -> None:
        service = self._service
        if service is None or connection.owner != 0:
            connection.deadline = max(connection.deadline, service.now + 1 if service else 0)
            self._wheel.add(connection)  # in somebody's hands: looked at again
            return
        connection.owner = get_ident()
        service.expire(connection)
        if connection.closed:
            self.by_token.pop(connection.token, None)
            return
        connection.owner = 0
        wanted = service.wanted_by(connection)
        if wanted != IN:
            self.epoll.modify(connection.fd, wanted | ONE_SHOT, connection.token)
        self._wheel.add(connection)
