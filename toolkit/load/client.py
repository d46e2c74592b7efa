"""One connection of the load generator, and the reading of answers."""

import errno
import socket
from itertools import count

from toolkit.ffi import linux
from toolkit.load.plan import LoadPlan

_IN_PROGRESS = {0, errno.EINPROGRESS}
_HEAD_END = b"\r\n\r\n"
_numbers = count(1)


class ConnectFailed(Exception):  # noqa: N818  an outcome to count
    """The connection could not be begun; `kind` names it."""

    def __init__(self, number: int) -> None:
        self.kind = f"connect {errno.errorcode.get(number, number)}"
        super().__init__(self.kind)


class Client:
    """A non-blocking connection. `started` is when the request in flight began, 0 while there is none."""

    __slots__ = ("_partial", "_size", "answers", "connected", "expected", "fd", "started", "status", "token",
                 "wants_close")  # fmt: skip

    def __init__(self, family: int, address: tuple[object, ...]) -> None:
        """Begins to connect.

        Raises:
            ConnectFailed: it failed at once (no descriptor, no port left, refused).
        """
        try:
            connection = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        except OSError as error:
            raise ConnectFailed(error.errno or 0) from error
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        result = connection.connect_ex(address)
        if result not in _IN_PROGRESS:
            connection.close()
            raise ConnectFailed(result)
        self.fd = connection.detach()
        self.token = (next(_numbers) << linux.compiled.EVK_TOKEN_SHIFT) + self.fd
        self.connected = False
        self.started = 0
        self.answers = 0
        self.expected: bytes | None = None
        self.wants_close = False
        self.status = b""
        self._partial = b""
        self._size = 0

    def error(self) -> int:
        """SO_ERROR: the outcome of connecting, or what broke the connection."""
        with socket.socket(fileno=self.fd) as borrowed:
            number = borrowed.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            borrowed.detach()
        return int(number)

    def take(self, data: bytes) -> bytes | None:
        """The body, once an answer is complete. Afterwards `status` and `wants_close` are those of that answer.

        Raises:
            ValueError: this is no HTTP answer with a Content-Length.
        """
        if self._partial:
            data = self._partial + data
        if not self._size:
            end = data.find(_HEAD_END)
            if end < 0:
                self._partial = data
                return None
            head = data[:end].lower()
            _, found, after = head.partition(b"\r\ncontent-length:")
            if not found or not head.startswith(b"http/1.1 "):
                raise ValueError("not an HTTP/1.1 answer with a Content-Length")
            self._size = end + len(_HEAD_END) + int(after.split(b"\r\n", 1)[0])
            self.status = head[9:12]
            self.wants_close = b"\r\nconnection: close" in head
        if len(data) < self._size:
            self._partial = data
            return None
        body = data[data.find(_HEAD_END) + len(_HEAD_END) : self._size]
        self._partial = data[self._size :]
        self._size = 0
        return body

    def close(self) -> None:
        """Closes; again is harmless."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            linux.lib.evk_close(fd)


def request_for(plan: LoadPlan, path: str, number: int | None = None) -> bytes:
    """The bytes that ask for `path`; with a `number` none are the same."""
    host = f"[{plan.host}]" if ":" in plan.host else plan.host
    own = f"X-Number: {number}\r\n" if number is not None else ""
    return f"GET {path} HTTP/1.1\r\nHost: {host}:{plan.port}\r\n{own}\r\n".encode()
