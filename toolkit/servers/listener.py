"""A listening socket: opened with a clear error, accepted from until EAGAIN, and not defeated by EMFILE."""

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.servers.answers import UNAVAILABLE
from toolkit.servers.ledger import Tally
from toolkit.servers.outgoing import NOSIGNAL

BACKLOG = 4096
"""What listen(2) is asked for; net.core.somaxconn bounds it."""

_NEW_SOCKET = int(socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
_ADDRESS_SIZE = 128  # struct sockaddr_storage
_SPOILT = {-errno.EINTR, -errno.ECONNABORTED, -errno.EPROTO}  # that one, not the next (accept(2))
_EXHAUSTED = {-errno.EMFILE, -errno.ENFILE}


class CannotListen(Exception):  # noqa: N818  says what the user should hear
    """The address cannot be listened on; the message says why and what would be right."""


@dataclass(frozen=True)
class Task:
    """What the accepting layer hands over: a descriptor and a snapshot of the peer's address, and when (ns)."""

    fd: int
    peer: bytes
    accepted_ns: int = 0


class Listener:
    """Owns a listening socket, for `holders` that accept from it; the last one to release it closes it."""

    def __init__(self, host: str, port: int, reuse_port: bool = False, holders: int = 1) -> None:
        """Binds and listens. IPv6 when `host` is an IPv6 address.

        Raises:
            CannotListen: the name is unknown, the port in use, the address not ours, not permitted.
        """
        self.socket = _listen(host, port, reuse_port)
        self.socket.setblocking(False)
        # accepted sockets inherit it (tcp(7) says nothing; net/ipv4/tcp.c copies tp->nonagle)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.fd = self.socket.fileno()
        self.host, self.port = self.socket.getsockname()[:2]
        self._holders = holders
        self._lock = Lock()

    def release(self) -> bool:
        """One holder will not accept any more. True for the last: it accepts the rest, and then closes."""
        with self._lock:
            self._holders -= 1
            return self._holders <= 0

    def close(self) -> None:
        """Closes the socket; again is harmless. What the kernel still has in its queue is reset."""
        self.socket.close()


_one_accepts = Lock()
"""Threads share the table of descriptors: the number that one frees, to turn a client away with, is the next one's
who accepts. Without it spares become connections, and then nobody can answer those who wait."""


class Acceptor:
    """One thread's accepting from a listener, with one spare descriptor."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.must_retry = False
        """The last round stopped for want of descriptors or memory, with clients still waiting."""
        self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._address = linux.ffi.new("char[]", _ADDRESS_SIZE)
        self._size = linux.ffi.new("uint32_t *")

    def accept_all(self, tally: Tally, now: int = 0, at_most: int = 1 << 30) -> Iterator[Task]:
        """Every client that waits, until EAGAIN or `at_most`. Each is in `tally.accepted`.

        Raises:
            CallError: anything accept4(2) says that is not about one client or about running out.
        """
        self.must_retry = False
        while at_most > 0:
            self._size[0] = _ADDRESS_SIZE
            with _one_accepts:
                fd = linux.lib.evk_accept4(self._listener.fd, _NEW_SOCKET, self._address, self._size)
            if fd >= 0:
                at_most -= 1
                tally.accepted += 1
                yield Task(fd, bytes(linux.ffi.buffer(self._address, self._size[0])), now)
            elif fd == -errno.EAGAIN:
                return
            elif fd in _SPOILT:
                continue
            elif fd in _EXHAUSTED:
                tally.descriptors_exhausted += 1
                if not self._turn_one_away(tally):
                    self.must_retry = True
                    return
            elif fd in (-errno.ENOBUFS, -errno.ENOMEM):
                self.must_retry = True
                return
            else:
                fail(fd, "accept4", self._listener.fd)

    def _turn_one_away(self, tally: Tally) -> bool:
        """At EMFILE: frees the spare descriptor, accepts with it, refuses, takes it back.

        Without it the client would stay in the queue and the listener readable: a loop at 100 % CPU. Whether it worked:
        something else in this process may have taken the number that was freed.
        """
        with _one_accepts:
            if not self._have_spare():
                return False
            os.close(self._spare)
            self._spare = -1
            fd = linux.lib.evk_accept4(self._listener.fd, _NEW_SOCKET, linux.ffi.NULL, linux.ffi.NULL)
            if fd >= 0:
                tally.accepted += 1
                refuse(fd, tally)
            return self._have_spare() and bool(fd >= 0)

    def _have_spare(self) -> bool:
        """Takes the spare descriptor (back); False when there is none to be had now."""
        if self._spare < 0:
            with suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        return self._spare >= 0

    def close(self) -> None:
        """Closes the spare descriptor; again is harmless."""
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1


def refuse(fd: int, tally: Tally) -> None:
    """Answers 503 and closes at once. What the client has sent already is read first, so that closing is no reset."""
    buffer = linux.ffi.new("char[]", 4096)
    if linux.lib.evk_recv(fd, buffer, 4096, 0) > 0:
        tally.begun += 1
        tally.refused_requests += 1
    linux.lib.evk_send(fd, UNAVAILABLE, len(UNAVAILABLE), NOSIGNAL)
    tally.refused_connections += 1
    linux.lib.evk_close(fd)


def _listen(host: str, port: int, reuse_port: bool) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListen(f"{host}: {error.strerror or error}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        hint = (
            "; another program listens there, use another --port" if error.errno == errno.EADDRINUSE else ""
        )
        raise CannotListen(f"{host} port {port}: {error.strerror}{hint}") from error
    return listener
