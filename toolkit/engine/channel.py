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


class Sender:
    """The case's end: implements the lab's Report."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

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
        os.write(self._fd, json.dumps(message).encode()[:_LARGEST_PACKET])


@dataclass
class Received:
    """What came through the channel so far."""

    checks: list[Check] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    ended: Status | None = None
    reason: str | None = None
    garbage: int = 0

    def take(self, packet: bytes) -> None:
        """Adds one packet."""
        try:
            message = json.loads(packet)
            if "check" in message:
                self.checks.append(_check(message["check"]))
            elif "trace" in message:
                self.trace.append(str(message["trace"]))
            else:
                self.ended = Status(message["done"])
                self.reason = message["reason"]
        except (ValueError, TypeError, KeyError):
            self.garbage += 1


def _check(message: dict[str, Any]) -> Check:
    return Check(
        claim=message["claim"],
        kind=Kind(message["kind"]),
        status=Status(message["status"]),
        expected=message.get("expected"),
        observed=message.get("observed"),
        reason=message.get("reason"),
        variant=message.get("variant"),
    )
