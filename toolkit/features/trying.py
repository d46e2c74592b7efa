"""How a probe tries: a real call now, whose failure is the answer and not an accident."""

import os
import select
import signal
from collections.abc import Callable
from dataclasses import dataclass

from toolkit.features.feature import Feature
from toolkit.ffi.errors import errno_name
from toolkit.primitives.deaf_fork import fork_deaf

Attempt = Callable[[], "str | None"]
"""Makes the call; returns a value to show, or None. Raises MissingError or OSError where the feature is not there."""

_CHILD_DEADLINE_MS = 10_000
_MISSING, _FOUND, _NOTHING = b"-", b"+", b"="


class MissingError(Exception):
    """The call worked and yet shows that the feature is not there; the message says how."""


@dataclass(frozen=True)
class Probe:
    """One line of the table: what is tried, and how.

    Attributes:
        primitive: what the feature belongs to.
        about: what it is for, in a few words.
        attempt: the real call.
    """

    primitive: str
    about: str
    attempt: Attempt

    def run(self, name: str) -> Feature:
        """Tries it now. Never raises for a feature that is not there."""
        try:
            value = self.attempt()
        except MissingError as missing:
            return Feature(name, self.primitive, available=False, reason=str(missing), about=self.about)
        except OSError as error:
            return Feature(name, self.primitive, available=False, reason=explain(error), about=self.about)
        return Feature(name, self.primitive, available=True, value=value, about=self.about)


def explain(error: OSError) -> str:
    """`epoll_pwait2: ENOSYS (Function not implemented)`."""
    call = getattr(error, "call", None)
    name = errno_name(error.errno or 0)
    return f"{call}: {name} ({error.strerror})" if call else f"{name} ({error.strerror})"


def in_child(attempt: Attempt) -> Attempt:
    """The same attempt in a forked child: what it does to masks, reapers and limits ends with it."""

    def forked() -> str | None:
        reader, writer = os.pipe()
        child = fork_deaf()
        if child == 0:
            _answer(attempt, writer)
        os.close(writer)
        try:
            answer = _read_all(reader)
        finally:
            os.close(reader)
            os.kill(child, signal.SIGKILL)  # a child that answered is a zombie by now, or about to be one
            os.waitpid(child, 0)
        kind, text = answer[:1], answer[1:].decode(errors="replace")
        if kind == _FOUND:
            return text
        if kind == _NOTHING:
            return None
        raise MissingError(text or "the probe's process ended without an answer")

    return forked


def _answer(attempt: Attempt, writer: int) -> None:
    """In the child: one line through the pipe, and out without a trace."""
    answer = _MISSING + b"the attempt did not end"
    try:
        value = attempt()
        answer = _NOTHING if value is None else _FOUND + value.encode()
    except OSError as error:
        answer = _MISSING + explain(error).encode()
    except Exception as error:
        answer = _MISSING + str(error).encode()
    finally:
        try:
            os.write(writer, answer[: select.PIPE_BUF])
        finally:
            os._exit(0)


def _read_all(reader: int) -> bytes:
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    answer = b""
    while poll.poll(_CHILD_DEADLINE_MS):
        piece = os.read(reader, 4096)
        if not piece:
            break
        answer += piece
    return answer
