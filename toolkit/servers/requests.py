"""HTTP/1.1 requests out of bytes that come in any pieces: httptools' parser, and what a server wants to know."""

import importlib
from collections import deque
from typing import Any, NamedTuple

HEAD_LIMIT = 64 * 1024
KEPT_BODY_LIMIT = 1 << 20


class ParserMissingError(ImportError):
    """httptools is not installed; the message says how to get it."""


class BadRequest(Exception):  # noqa: N818  an outcome of reading, with a status of its own
    """The bytes are no request that can be served; `status` says why, as `400 Bad Request`."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class Request(NamedTuple):
    """One whole request. `body` is kept for `/echo` only; `body_size` is what was received."""

    method: bytes
    target: bytes
    keep_alive: bool
    body_size: int = 0
    body: bytes = b""


def load_parser() -> Any:  # noqa: ANN401  an optional extra without type information
    """The module httptools.

    Raises:
        ParserMissingError: it is not installed.
    """
    try:
        return importlib.import_module("httptools")
    except ImportError as error:
        raise ParserMissingError("this needs httptools: install evkit[serve]") from error


class RequestReader:
    """The requests of one connection. Feed it bytes; take `complete`.

    `begun` counts requests whose first byte has come since somebody set it to 0; `in_hand` says that one is not
    complete yet.
    """

    __slots__ = ("_body", "_body_size", "_head_size", "_in_head", "_parser", "_target", "_upgrade", "begun",
                 "complaint", "complete", "expects_continue", "in_hand")  # fmt: skip

    def __init__(self, httptools: Any) -> None:  # noqa: ANN401  an optional extra without type information
        self._upgrade: type[Exception] = httptools.HttpParserUpgrade
        self._parser = httptools.HttpRequestParser(self)
        self._body = bytearray()
        self.begun = 0
        self.in_hand = False
        self.expects_continue = False
        self.complete: deque[Request] = deque()
        self.complaint: BadRequest | None = None
        """What was wrong with the bytes behind the complete requests."""
        self._start()

    def _start(self) -> None:
        self._target = b""
        if self._body:
            self._body = bytearray()
        self._body_size = 0
        self._head_size = 0
        self._in_head = True

    def release(self) -> None:
        """Lets go of the parser, which holds this object in turn: under churn nobody should have to look for cycles."""
        self._parser = None

    @property
    def in_body(self) -> bool:
        """Whether the head of the request in hand is complete."""
        return not self._in_head

    def feed(self, data: bytes) -> None:
        """Takes the next bytes.

        Raises:
            BadRequest: they cannot be parsed (400), or the head is beyond 64 KiB (431), or an echo beyond 1 MiB (413).
        """
        try:
            self._parser.feed_data(data)
        except BadRequest:
            raise
        except self._upgrade:
            return  # the request is complete; what follows would be another protocol, which nobody here speaks
        except Exception as error:  # httptools' family of errors; those of callbacks are its __context__
            if isinstance(error.__context__, BadRequest):
                raise error.__context__ from None
            raise BadRequest("400 Bad Request") from error
        if self.in_hand and self._in_head:
            self._head_size += len(data)
            if self._head_size > HEAD_LIMIT:
                raise BadRequest("431 Request Header Fields Too Large")

    # --- called by the parser ---

    def on_message_begin(self) -> None:
        self.begun += 1
        self.in_hand = True
        self._start()

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(name) == 6 and name.lower() == b"expect" and value.lower() == b"100-continue":
            self.expects_continue = True

    def on_headers_complete(self) -> None:
        self._in_head = False

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        if self._target.startswith(b"/echo"):
            if self._body_size > KEPT_BODY_LIMIT:
                raise BadRequest("413 Content Too Large")
            self._body += body

    def on_message_complete(self) -> None:
        parser = self._parser
        self.in_hand = False
        self.expects_continue = False
        keep_alive = parser.should_keep_alive() and not parser.should_upgrade()
        self.complete.append(
            Request(parser.get_method(), self._target, keep_alive, self._body_size, bytes(self._body))
        )
