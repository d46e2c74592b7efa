"""What a case's process tells the engine: one JSON message a packet, so that several processes may send at once.

The engine never trusts it: a case may write anything to any descriptor, so whatever is not a message is dropped and
noted.
"""

import json
import os
from dataclasses import dataclass, field
from typing import Any

from toolkit.records import Check, Kind, Status, as_json

_LARGEST_PACKET = 100_000
"""Below the smallest usual socket buffer; what is longer is cut."""
_MOST_BYTES = 8 * 2**20
"""All that one variant may say: a case that never stops talking does not fill the engine's memory."""


class Sender:
    """The case's end: implements the lab's Report."""

    def __init__(self, fd: int, terminator: bytes = b"") -> None:
        """`terminator` parts the messages where the channel does not: in a file, a newline."""
        self._fd = fd
        self._terminator = terminator

    def check(self, check: Check) -> None:
        """One check, sent before the next is made."""
        self._send({"check": as_json(check)})

    def trace(self, line: str) -> None:
        """One traced call."""
        self._send({"trace": line[: _LARGEST_PACKET // 2]})

    def done(self, status: Status, reason: str | None = None) -> None:
        """The last message: the function returned (PASS), skipped itself, or failed to run (ERROR)."""
        self._send({"done": status.value, "reason": reason and reason[: _LARGEST_PACKET // 2]})

    def _send(self, message: dict[str, Any]) -> None:
        os.write(self._fd, json.dumps(message).encode()[:_LARGEST_PACKET] + self._terminator)


@dataclass
class Received:
    """What came through the channel so far."""

    checks: list[Check] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    ended: Status | None = None
    reason: str | None = None
    garbage: int = 0
    size_bytes: int = 0

    def take(self, packet: bytes) -> None:
        """Adds one packet."""
        self.size_bytes += len(packet)
        try:
            if self.size_bytes > _MOST_BYTES:
                raise ValueError("too much")
            self._add(json.loads(packet, parse_constant=_refuse))
        except (ValueError, TypeError, KeyError, RecursionError):
            self.garbage += 1

    def _add(self, message: dict[str, Any]) -> None:
        if "check" in message:
            self.checks.append(_check(message["check"]))
        elif "trace" in message:
            self.trace.append(_text(message["trace"]))
        else:
            self.reason = _text_or_none(message["reason"])
            self.ended = Status(message["done"])


def _check(message: dict[str, Any]) -> Check:
    status = Status(message["status"])
    if status not in (Status.PASS, Status.FAIL, Status.SKIP):
        raise ValueError(status)
    return Check(
        claim=_text(message["claim"]),
        kind=Kind(message["kind"]),
        status=status,
        expected=message.get("expected"),
        observed=message.get("observed"),
        reason=_text_or_none(message.get("reason")),
        variant=_text_or_none(message.get("variant")),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _refuse(constant: str) -> None:
    """NaN and the infinities are no JSON (RFC 8259 section 6): what is written on would not be read again."""
    raise ValueError(constant)
