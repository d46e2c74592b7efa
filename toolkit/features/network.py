"""Probes of sockets as event loops use them."""

import socket

from toolkit.features.trying import Probe


def _ipv6() -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as sock:
        sock.bind(("::1", 0))


def _reuseport() -> None:
    with socket.socket() as first, socket.socket() as second:
        for sock in (first, second):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        first.bind(("127.0.0.1", 0))
        second.bind(first.getsockname())


def _abstract_unix() -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("")  # unix(7), autobind: the kernel picks an abstract name


PROBES = {
    "ipv6": Probe("network", "an address ::1 to listen on", _ipv6),
    "so_reuseport": Probe("network", "one port, several listeners", _reuseport),
    "unix_abstract": Probe("network", "socket names that need no file", _abstract_unix),
}
