"""Checks: what a case claims, what it expected and what it saw, sent off at once so that a later crash loses none."""

from collections.abc import Callable
from enum import IntFlag
from typing import Any, Protocol

from toolkit.ffi.errors import errno_name
from toolkit.records import Check, Kind, Status

_LARGEST_EXACT_JSON = 2**53


class Report(Protocol):
    """Where a case's checks and trace lines go: the engine's channel."""

    def check(self, check: Check) -> None: ...

    def trace(self, line: str) -> None: ...


class DeadlineError(Exception):
    """Something that had to happen did not, in time: the variant ends as `timeout`."""


class SkippedError(Exception):
    """The rest of the variant cannot run here; the text says why."""


def plain(value: Any) -> Any:  # noqa: ANN401  any value to a JSON value
    """A value as JSON can carry it: flags spelt out, bytes as text, words above 2^53 as hex strings."""
    if isinstance(value, IntFlag):
        return "|".join(str(flag.name) for flag in type(value) if value & flag == flag) or "0"
    if isinstance(value, bool | str | float) or value is None:
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= _LARGEST_EXACT_JSON else hex(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


class Checks:
    """`must`, `record` and `skip`: the verdicts of a case."""

    def __init__(self, report: Report, claims: frozenset[str], variant: str | None) -> None:
        self._report = report
        self._claims = claims
        self._variant = variant

    def must(
        self,
        claim: str,
        *,
        expected: object,
        observed: object,
        holds: bool | None = None,
        reason: str | None = None,
    ) -> bool:
        """A check that decides. It holds when `expected == observed`, or as `holds` says when that is given.

        Returns whether it held; the case goes on either way, so that one run shows all that differs.
        """
        good = plain(expected) == plain(observed) if holds is None else holds
        self._send(claim, Kind.MUST, Status.PASS if good else Status.FAIL, expected, observed, reason)
        return good

    def record(self, claim: str, observed: object, reason: str | None = None) -> None:
        """Notes what no kernel promises: an order, a count."""
        self._send(claim, Kind.RECORD, Status.PASS, None, observed, reason)

    def skip(self, claim: str, reason: str) -> None:
        """This claim cannot be looked at here; the reason says what is missing."""
        self._send(claim, Kind.MUST, Status.SKIP, None, None, reason)

    def skip_rest(self, reason: str) -> None:
        """Nothing more of this variant can run here."""
        raise SkippedError(reason)

    def outcome(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> str:  # noqa: ANN401  any call
        """`ok`, or the errno name of the OSError that `call` raised: what checks of errors compare."""
        try:
            call(*arguments, **named)
        except OSError as error:
            return errno_name(error.errno or 0)
        return "ok"

    def attempt(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:  # noqa: ANN401  any call
        """What `call` returned, or the errno name of the OSError that it raised."""
        try:
            return call(*arguments, **named)
        except OSError as error:
            return errno_name(error.errno or 0)

    def _send(
        self, claim: str, kind: Kind, status: Status, expected: object, observed: object, reason: str | None
    ) -> None:
        if claim not in self._claims:
            raise KeyError(f"the case checks {claim!r}, which it does not declare")
        self._report.check(
            Check(claim, kind, status, plain(expected), plain(observed), reason, self._variant)
        )
