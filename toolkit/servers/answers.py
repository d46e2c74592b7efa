"""What is answered to what.

/            `body_size` bytes
/echo/TEXT   TEXT; with a body, the body (up to 1 MiB)
/peer        the client's address, as it was when the connection was accepted
with a body  how many bytes it had
"""

from functools import lru_cache

from toolkit.servers.requests import Request

_TEXT = b"Hello, world\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def answer_to(request: Request, body_size: int, peer: bytes, keep_alive: bool) -> bytes:
    """The whole answer; `keep_alive` False says `Connection: close` in it."""
    if request.target.startswith(b"/echo"):
        body = request.body if request.body_size else request.target[len(b"/echo/") :] + b"\n"
    elif request.target == b"/peer":
        body = peer + b"\n"
    elif request.body_size:
        body = b"received %d bytes\n" % request.body_size
    else:
        return plain_answer(body_size, keep_alive, request.method != b"HEAD")
    return whole_answer(b"200 OK", body, keep_alive, with_body=request.method != b"HEAD")


def whole_answer(status: bytes, body: bytes, keep_alive: bool, with_body: bool = True) -> bytes:
    """Status line, headers, and the body unless it was asked for by HEAD."""
    ending = b"" if keep_alive else b"Connection: close\r\n"
    head = b"HTTP/1.1 %b\r\nContent-Length: %d\r\nContent-Type: text/plain\r\n%b\r\n" % (
        status,
        len(body),
        ending,
    )
    return head + body if with_body else head


def refusal(status: bytes) -> bytes:
    """An answer that says no and ends the connection: `503 Service Unavailable`, `408 Request Timeout`."""
    return whole_answer(status, status + b"\n", keep_alive=False)


UNAVAILABLE = refusal(b"503 Service Unavailable")


@lru_cache(maxsize=16)
def plain_answer(size: int, keep_alive: bool, with_body: bool) -> bytes:
    """The answer to /: `size` bytes of text."""
    body = (_TEXT * (size // len(_TEXT) + 1))[:size]
    return whole_answer(b"200 OK", body, keep_alive, with_body)
