"""What `evkit epoll watch` can be pointed at: a path, `fd:N`, `tcp:HOST:PORT`, `listen:PORT`, `-`."""

import errno
import os
import socket
import stat
from dataclasses import dataclass

from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.watch.inheritance import not_open


class TargetError(Exception):
    """A target that cannot be watched; the message says why and what can."""


@dataclass(frozen=True)
class Target:
    """Something to watch.

    Attributes:
        name: as it was given.
        fd: its descriptor.
        listens: it is a listening socket: to read is to accept.
        owned: we opened it and close it; others belong to who passed them down.
    """

    name: str
    fd: int
    listens: bool = False
    owned: bool = True

    def close(self) -> None:
        """Closes what was opened here."""
        if self.owned:
            os.close(self.fd)


def open_target(name: str, events: int) -> Target:
    """Opens what `name` means; `events` decides whether a path is opened for reading, writing or both.

    O_NONBLOCK is set on what is opened here, never on what was inherited: there it would be set for every holder.

    Raises:
        TargetError: it cannot be opened.
    """
    scheme, colon, rest = name.partition(":")
    try:
        if name == "-":
            return _inherited(name, 0)
        if colon and scheme == "fd":
            return _inherited(name, _number(name, rest))
        if colon and scheme == "listen":
            return _listener(name, _port(name, rest))
        if colon and scheme == "tcp":
            return _connection(name, rest)
        return Target(name, os.open(name, _access(events) | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError as error:
        raise TargetError(f"{name}: {_explain(error)}") from None


def refused_by_epoll(target: Target) -> str:
    """Why epoll_ctl(2) says EPERM for this target, and what to use instead."""
    mode = os.fstat(target.fd).st_mode
    if stat.S_ISREG(mode):
        what, instead = "regular files: they are always ready", "io_uring or a thread"
    elif stat.S_ISDIR(mode):
        what, instead = "directories", "inotify"
    else:
        what, instead = "files without a poll operation, such as /dev/null", "a thread"
    return f"{target.name}: EPERM: epoll does not take {what}; use {instead}"


def _inherited(name: str, fd: int) -> Target:
    try:
        os.fstat(fd)
    except (OSError, OverflowError):  # EBADF, or more than an int
        raise TargetError(f"{name}: {not_open(f'descriptor {fd}')}") from None
    return Target(name, fd, listens=_listens(fd), owned=False)


def _listens(fd: int) -> bool:
    if not stat.S_ISSOCK(os.fstat(fd).st_mode):
        return False
    with socket.socket(fileno=os.dup(fd)) as sock:
        try:
            return bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
        except OSError:
            return False


def _listener(name: str, port: int) -> Target:
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    sock = socket.create_server(("", port), family=family, dualstack_ipv6=family == socket.AF_INET6)
    sock.setblocking(False)
    return Target(name, sock.detach(), listens=True)


def _connection(name: str, address: str) -> Target:
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal():
        raise TargetError(f"{name}: write tcp:HOST:PORT, such as tcp:localhost:80 or tcp:[::1]:80")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, _port(name, port), type=socket.SOCK_STREAM
        )[0]
    except (socket.gaierror, UnicodeError) as error:
        raise TargetError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    with socket.socket(family, kind, protocol) as sock:
        sock.setblocking(False)
        result = sock.connect_ex(where)
        if result not in (0, errno.EINPROGRESS):
            raise OSError(result, os.strerror(result))
        return Target(name, sock.detach())


def _port(name: str, text: str) -> int:
    port = _number(name, text)
    if port > 0xFFFF:  # getaddrinfo(3) would take it modulo 2^16
        raise TargetError(f"{name}: a port is at most 65535")
    return port


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise TargetError(f"{name}: {text!r} is not a number")
    return int(text)


def _access(events: int) -> int:
    wanted = events & (EPOLLIN | EPOLLOUT)
    return os.O_RDWR if wanted == EPOLLIN | EPOLLOUT else os.O_WRONLY if wanted == EPOLLOUT else os.O_RDONLY


def _explain(error: OSError) -> str:
    if error.errno == errno.ENXIO:
        return "ENXIO: a fifo opens for writing only once somebody reads it, and a socket's path not at all"
    if error.errno == errno.EMFILE:
        return "no descriptor left for it: raise RLIMIT_NOFILE (ulimit -n) or watch fewer"
    return str(error.strerror)
