"""Sockets on loopback and socket pairs, as numbers."""

import os
import socket
import struct

from toolkit.ffi import tracing
from toolkit.lab import calls
from toolkit.lab.descriptors import Descriptors
from toolkit.lab.threads import until

Address = tuple[str, int]

_TCPI_UNACKED = 24
"""Its offset in struct tcp_info (linux/tcp.h)."""


class Sockets(Descriptors):
    """Every socket is close-on-exec, as Python makes them; blocking unless said otherwise."""

    def socketpair(self, kind: int = socket.SOCK_STREAM) -> tuple[int, int]:
        """Two connected AF_UNIX sockets."""
        ours, theirs = (end.detach() for end in socket.socketpair(socket.AF_UNIX, kind))
        name = socket.SocketKind(kind).name
        tracing.emit("socketpair", f"AF_UNIX, {name}|SOCK_CLOEXEC, 0, [{ours}, {theirs}]", 0)
        return ours, theirs

    def tcp_socket(self, nonblocking: bool = False) -> int:
        """A fresh IPv4 stream socket."""
        fd = calls.described(
            "socket",
            "AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP",
            lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).detach(),
        )
        if nonblocking:
            self.set_nonblocking(fd)
        return fd

    def udp_socket(self, nonblocking: bool = False) -> int:
        """A fresh IPv4 datagram socket."""
        fd = calls.described(
            "socket",
            "AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP",
            lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).detach(),
        )
        if nonblocking:
            self.set_nonblocking(fd)
        return fd

    def bind(self, fd: int, address: Address = ("127.0.0.1", 0)) -> Address:
        """bind(2): the address it got."""
        with _borrowed(fd) as sock:
            calls.described("bind", f"{fd}, {_shown(address)}", lambda: sock.bind(address), calls.zero)
            bound: Address = sock.getsockname()
        return bound

    def listener(
        self,
        backlog: int = 128,
        nonblocking: bool = True,
        reuseport: bool = False,
        address: Address | None = None,
    ) -> tuple[int, Address]:
        """`(fd, address)` of a TCP listener on 127.0.0.1, at a free port unless an address is given."""
        fd = self.tcp_socket(nonblocking)
        if reuseport:
            self.set_option(fd, socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound = self.bind(fd, address or ("127.0.0.1", 0))
        with _borrowed(fd) as sock:
            calls.described("listen", f"{fd}, {backlog}", lambda: sock.listen(backlog), calls.zero)
        return fd, bound

    def connect(self, address: Address, nonblocking: bool = False) -> int:
        """A new TCP socket with connect(2) called; non-blocking ones are still on their way (EINPROGRESS)."""
        fd = self.tcp_socket(nonblocking)
        self.connect_socket(fd, address)
        return fd

    def connect_socket(self, fd: int, address: Address) -> None:
        """connect(2); EINPROGRESS is no error here.

        Raises:
            OSError: ECONNREFUSED, ...
        """
        with _borrowed(fd) as sock:
            try:
                calls.described(
                    "connect", f"{fd}, {_shown(address)}", lambda: sock.connect(address), calls.zero
                )
            except BlockingIOError:
                return

    def accept(self, listener: int) -> int:
        """accept4(2) with SOCK_CLOEXEC.

        Raises:
            OSError: EAGAIN, EMFILE, ...
        """
        with _borrowed(listener) as sock:
            return calls.described(
                "accept4",
                f"{listener}, NULL, NULL, SOCK_CLOEXEC",
                lambda: int(sock._accept()[0]),  # type: ignore[attr-defined]
            )

    def queued(self, listener: int, connections: int, within: float = 2.0) -> None:
        """Returns once that many connections wait in the listener's queue to be accepted.

        connect() of a client returns before the last packet of the hand-shake has reached the listener. The length of
        the queue is tcpi_unacked of TCP_INFO (net/ipv4/tcp.c, tcp_get_info).

        Raises:
            DeadlineError: they did not arrive in time.
        """
        until(
            lambda: _accept_queue(listener) >= connections, f"{connections} connections in the queue", within
        )

    def all_queued(self, listeners: list[int], connections: int, within: float = 2.0) -> list[int]:
        """As `queued` for listeners that share a port: the length of each queue.

        Raises:
            DeadlineError: they did not arrive in time.
        """
        until(
            lambda: sum(map(_accept_queue, listeners)) >= connections,
            f"{connections} connections in the queues",
            within,
        )
        return [_accept_queue(listener) for listener in listeners]

    def tcp_pair(self) -> tuple[int, int]:
        """Two ends of one TCP connection over loopback: `(client, server)`."""
        listener, address = self.listener(nonblocking=False)
        client = self.connect(address)
        server = self.accept(listener)
        self.close(listener)
        return client, server

    def send(self, fd: int, data: bytes, flags: int = 0) -> int:
        """send(2): how many bytes went."""
        shown = "|".join(str(flag.name) for flag in socket.MsgFlag if flags & flag) or "0"
        with _borrowed(fd) as sock:
            return calls.described(
                "sendto", f"{fd}, {data!r}, {len(data)}, {shown}, NULL, 0", lambda: sock.send(data, flags)
            )

    def recv(self, fd: int, size: int = 4096, flags: int = 0) -> bytes:
        """recv(2)."""
        with _borrowed(fd) as sock:
            return calls.described(
                "recvfrom",
                f"{fd}, ..., {size}, {flags}, NULL, NULL",
                lambda: sock.recv(size, flags),
                lambda d: str(len(d)),
            )

    def recv_now(self, fd: int, size: int = 4096) -> bytes:
        """recv(2) with MSG_DONTWAIT.

        Raises:
            OSError: EAGAIN when there is nothing to read.
        """
        return self.recv(fd, size, socket.MSG_DONTWAIT)

    def send_to(self, fd: int, data: bytes, address: Address) -> int:
        """sendto(2)."""
        with _borrowed(fd) as sock:
            return calls.described(
                "sendto",
                f"{fd}, {data!r}, {len(data)}, 0, {_shown(address)}",
                lambda: sock.sendto(data, address),
            )

    def shutdown(self, fd: int, how: int) -> None:
        """shutdown(2)."""
        name = {socket.SHUT_RD: "SHUT_RD", socket.SHUT_WR: "SHUT_WR", socket.SHUT_RDWR: "SHUT_RDWR"}[how]
        with _borrowed(fd) as sock:
            calls.described("shutdown", f"{fd}, {name}", lambda: sock.shutdown(how), calls.zero)

    def set_option(self, fd: int, level: int, option: int, value: int | bytes) -> None:
        """setsockopt(2)."""
        with _borrowed(fd) as sock:
            calls.described(
                "setsockopt",
                f"{fd}, {level}, {option}, {value!r}",
                lambda: sock.setsockopt(level, option, value),
                calls.zero,
            )

    def socket_error(self, fd: int) -> int:
        """SO_ERROR: takes the pending error, 0 when there is none."""
        with _borrowed(fd) as sock:
            error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        tracing.emit("getsockopt", f"{fd}, SOL_SOCKET, SO_ERROR, [{error}], [4]", 0)
        return error

    def reset(self, fd: int) -> None:
        """Closes a TCP socket with SO_LINGER 0: the peer gets a reset instead of an end of file."""
        self.set_option(fd, socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close(fd)

    def local_port(self, fd: int) -> int:
        """The port of getsockname(2)."""
        with _borrowed(fd) as sock:
            return int(sock.getsockname()[1])

    def peer_port(self, fd: int) -> int:
        """The port of getpeername(2)."""
        with _borrowed(fd) as sock:
            return int(sock.getpeername()[1])

    def send_descriptors(self, channel: int, descriptors: list[int]) -> None:
        """SCM_RIGHTS: passes open file descriptions over an AF_UNIX socket (unix(7))."""
        with _borrowed(channel, socket.AF_UNIX) as sock:
            calls.described(
                "sendmsg",
                f"{channel}, {{cmsg_type=SCM_RIGHTS, cmsg_data={descriptors}}}, 0",
                lambda: socket.send_fds(sock, [b"x"], descriptors),
            )

    def receive_descriptors(self, channel: int, most: int = 8) -> list[int]:
        """SCM_RIGHTS, received: new numbers for the same open file descriptions."""
        with _borrowed(channel, socket.AF_UNIX) as sock:
            data, received, _, _ = socket.recv_fds(sock, 1, most)
        for fd in received:
            os.set_inheritable(fd, False)
        tracing.emit("recvmsg", f"{channel}, {{cmsg_type=SCM_RIGHTS, cmsg_data={received}}}, 0", len(data))
        return received


def _accept_queue(listener: int) -> int:
    with _borrowed(listener) as sock:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCPI_UNACKED + 4)
    length: int = struct.unpack_from("I", info, _TCPI_UNACKED)[0]
    return length


class _borrowed:  # noqa: N801  reads as a function
    """A socket object on somebody else's number: given back, not closed, and no call made to learn its kind."""

    def __init__(self, fd: int, family: int = socket.AF_INET) -> None:
        self._socket = socket.socket(family, socket.SOCK_STREAM, 0, fileno=fd)

    def __enter__(self) -> socket.socket:
        return self._socket

    def __exit__(self, *_: object) -> None:
        self._socket.detach()


def _shown(address: Address) -> str:
    return f'{{sa_family=AF_INET, sin_port=htons({address[1]}), sin_addr=inet_addr("{address[0]}")}}, 16'
