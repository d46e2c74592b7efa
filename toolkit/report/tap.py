"""TAP version 14 (testanything.org): a case is a test point, its checks are a subtest before it.

The plan comes last, so that output cut off by force is not mistaken for a whole run.
"""

from collections.abc import Iterable
from typing import TextIO

from toolkit.records import CaseResult, Check, Kind, Status, Summary
from toolkit.report.context import Run
from toolkit.report.tally import Verdict, verdict_of
from toolkit.report.writer import shown_id, shown_value

_INDENT = "    "


class TapWriter:
    """One case at a time, each flushed whole."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._points = 0

    def start(self, run: Run) -> None:
        """The version line, and the context as a comment."""
        seed = "" if run.seed is None else f", seed {run.seed}"
        self._write(["TAP version 14", _comment(f"{run.tool} {run.version}, {run.context.kernel}{seed}")])

    def case(self, result: CaseResult) -> None:
        """The subtest of its checks, then its own point with a YAML block."""
        self._points += 1
        self._write([*_subtest(result), *_point(self._points, result)])

    def finish(self, summary: Summary) -> None:
        """The plan; a run that was interrupted bails out after it, since what is missing has not passed."""
        lines = [f"1..{self._points}" + ("" if self._points else " # SKIP no case was run")]
        if summary.interrupted:
            lines.append(f"Bail out! interrupted by a signal after {self._points} cases")
        self._write(lines)

    def _write(self, lines: Iterable[str]) -> None:
        self._stream.write("".join(f"{line}\n" for line in lines))
        self._stream.flush()


def _subtest(result: CaseResult) -> list[str]:
    if not result.checks and not result.trace:
        return []
    lines = [_comment(f"{_named(line.variant)}{line.text}") for line in result.trace]
    number = 0
    for check in result.checks:
        if check.kind is Kind.RECORD:
            lines.append(_comment(f"recorded {_title(check)}: {shown_value(check.observed)}"))
            continue
        number += 1
        lines += _check_point(number, check)
    return [_comment(f"Subtest: {shown_id(result)}"), *(_INDENT + line for line in [*lines, f"1..{number}"])]


def _check_point(number: int, check: Check) -> list[str]:
    good = check.status is not Status.FAIL
    line = f"{'ok' if good else 'not ok'} {number} - {_escape(_title(check))}"
    if check.status is Status.SKIP:
        return [f"{line} # SKIP {_one_line(check.reason or 'no reason given')}"]
    if good:
        return [line]
    return [line, *_yaml(message=check.reason, expected=check.expected, observed=check.observed)]


def _point(number: int, result: CaseResult) -> list[str]:
    verdict = verdict_of(result)
    known = result.known
    good = verdict in (Verdict.PASS, Verdict.SKIP)
    line = f"{'ok' if good else 'not ok'} {number} - {_escape(shown_id(result))}"
    if verdict is Verdict.SKIP:
        line += f" # SKIP {_one_line(result.reason or 'no reason given')}"
    elif verdict is Verdict.KNOWN and known is not None:
        line += f" # TODO known: {_one_line('; '.join(known.reasons))}"
    details = {"status": result.status.value, "duration_ms": round(result.duration_ns / 1e6, 3)}
    return [
        line,
        *_yaml(**details, message=result.reason, differences=known and (list(known.differences) or None)),
    ]


def _title(check: Check) -> str:
    return f"{_named(check.variant)}{check.claim}"


def _named(variant: str | None) -> str:
    return f"{variant}: " if variant else ""


def _comment(text: str) -> str:
    return f"# {_one_line(text)}"


def _escape(text: str) -> str:
    return _one_line(text).replace("\\", "\\\\").replace("#", "\\#")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _yaml(**fields: object) -> list[str]:
    """A YAML block; values in JSON, which is YAML."""
    present = [f"  {name}: {shown_value(value)}" for name, value in fields.items() if value is not None]
    return ["  ---", *present, "  ..."]
