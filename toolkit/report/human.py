"""A case run for people: a line a case, and under it what differed, in as many columns as there are."""

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO

from toolkit.records import CaseResult, Check, Status, Summary
from toolkit.report.context import Run
from toolkit.report.tally import Verdict, verdict_of
from toolkit.report.writer import printable, shown_id, shown_value

Paint = Callable[..., str]
"""`paint(text, *styles)`: text in those styles, or as it is where colour is not wanted."""

_STYLES = {
    Verdict.PASS: ("green",),
    Verdict.KNOWN: ("cyan",),
    Verdict.SKIP: ("yellow",),
    Verdict.FAIL: ("red", "bold"),
    Verdict.UNLISTED: ("red", "bold"),
    Verdict.ERROR: ("red", "bold"),
    Verdict.TIMEOUT: ("red", "bold"),
}
_WORD = max(len(verdict.value) for verdict in Verdict)
_TIME = len("12345 ms")
_CHECKS = len("12 checks")
_ROOM_FOR_TITLE = 60


@dataclass(frozen=True)
class Look:
    """How to show results.

    Attributes:
        width: columns.
        paint: applies colour where it is wanted.
        id_width: the longest id to come, so that columns stand.
        titles: each case's title, shown where there is room.
        details: show every check, not only those that differ.
    """

    width: int
    paint: Paint
    id_width: int = 32
    titles: Mapping[str, str] = field(default_factory=dict)
    details: bool = False


class HumanWriter:
    """One case at a time."""

    def __init__(self, stream: TextIO, look: Look) -> None:
        self._stream = stream
        self._look = look

    def start(self, run: Run) -> None:
        """On what, and with which seed."""
        context = run.context
        system, release = context.kernel.split()[:2]
        parts = [f"{system} {release}", context.arch, context.libc, context.python]
        parts.append(f"{context.cpus} CPU{'s' if context.cpus > 1 else ''}")
        if context.container not in (None, "none"):
            parts.append(f"in {context.container}")
        where = ", ".join(part for part in parts if part)
        seed = "" if run.seed is None else f"; seed {run.seed}"
        self._write([self._look.paint(line, "dim") for line in self._wrap(f"{where}{seed}")] + [""])

    def case(self, result: CaseResult) -> None:
        """Its line, and below it what a reader needs to know."""
        self._write([self._line(result), *self._below(result)])

    def finish(self, summary: Summary) -> None:
        """The counts in words."""
        self._write(["", *self._wrap(summary_line(summary))])

    def _write(self, lines: list[str]) -> None:
        self._stream.write("".join(f"{line.rstrip()}\n" for line in lines))
        self._stream.flush()

    def _line(self, result: CaseResult) -> str:
        look, verdict = self._look, verdict_of(result)
        word = verdict.value.upper() if not verdict.is_good else verdict.value
        took = f"{result.duration_ns / 1e6:.0f} ms"
        checks = (
            f"{len(result.checks)} check{'' if len(result.checks) == 1 else 's'}" if result.checks else ""
        )
        line = f"  {shown_id(result):<{look.id_width}}  {took:>{_TIME}}  {checks:<{_CHECKS}}"
        title = look.titles.get(result.id, "")
        room = look.width - _WORD - len(line) - 2
        if verdict is Verdict.PASS and room >= _ROOM_FOR_TITLE:
            line += "  " + look.paint(textwrap.shorten(title, room, placeholder=" ..."), "dim")
        return look.paint(f"{word:<{_WORD}}", *_STYLES[verdict]) + line

    def _below(self, result: CaseResult) -> Iterator[str]:
        verdict = verdict_of(result)
        yield from self._trace(result)
        failed = () if verdict is Verdict.KNOWN else (Status.FAIL,)
        shown = [check for check in result.checks if self._look.details or check.status in failed]
        for check in shown:
            yield from self._check(check)
        if result.known is not None and verdict is Verdict.UNLISTED:
            for difference in result.known.differences:
                yield from self._wrap(f"differs from the list: {difference}", _WORD + 2)
        elif result.known is not None and verdict is Verdict.KNOWN:
            for reason in result.known.reasons:
                yield from self._wrap(f"known: {reason}", _WORD + 2)
        elif result.reason and (verdict is not Verdict.FAIL or not shown):
            yield from self._wrap(result.reason, _WORD + 2)

    def _trace(self, result: CaseResult) -> Iterator[str]:
        variant: str | None = None
        for line in result.trace:
            if line.variant != variant:
                variant = line.variant
                yield f"{'':{_WORD + 2}}{variant}:"
            yield from self._wrap(line.text, _WORD + 4, 2)

    def _check(self, check: Check) -> Iterator[str]:
        word = "seen" if check.kind.value == "record" else check.status.value
        style = "red" if check.status is Status.FAIL else "dim"
        where = f"{check.variant}: " if check.variant else ""
        yield f"{'':{_WORD + 2}}{self._look.paint(f'{word:<4}', style)}  {where}{printable(check.claim)}"
        values = {"expected": check.expected} if check.expected is not None else {}
        if check.status is not Status.SKIP:
            values["observed"] = check.observed
        for name, value in values.items():
            yield from self._wrap(f"{name}  {shown_value(value)}", _WORD + 8, 10)
        if check.reason:
            yield from self._wrap(check.reason, _WORD + 8)

    def _wrap(self, text: str, indent: int = 0, hanging: int = 0) -> list[str]:
        return textwrap.wrap(
            printable(text),
            max(self._look.width, indent + hanging + 20),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hanging),
            break_on_hyphens=False,
        )


def summary_line(summary: Summary) -> str:
    """`34 cases: 33 passed, 1 skipped, in 1.24 s`."""
    counts = {
        "passed": summary.passed,
        "failed": summary.failed,
        "skipped": summary.skipped,
        "broken": summary.errors,
        "timed out": summary.timeouts,
    }
    parts = [f"{number} {word}" for word, number in counts.items() if number]
    cases = f"{summary.cases} case{'' if summary.cases == 1 else 's'}"
    end = "; interrupted" if summary.interrupted else ""
    if summary.unlisted is not None:
        end = f"; {summary.unlisted} not as listed{end}" if summary.unlisted else f"; all as listed{end}"
    return f"{cases}: {', '.join(parts) or 'nothing was run'}, in {summary.duration_ns / 1e9:.2f} s{end}"
