"""JUnit XML as CI systems read it: a suite a primitive, a testcase a case, its checks in the system-out.

The counts stand in the head, so all is written at the end; an interrupted run writes what was gathered.
"""

import re
import xml.etree.ElementTree as ET
from typing import TextIO

from toolkit.records import CaseResult, Check, Summary
from toolkit.report.context import Run
from toolkit.report.tally import Verdict, verdict_of
from toolkit.report.writer import shown_id, shown_value

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {
    Verdict.FAIL: "failure",
    Verdict.UNLISTED: "failure",
    Verdict.ERROR: "error",
    Verdict.TIMEOUT: "error",
    Verdict.SKIP: "skipped",
    Verdict.KNOWN: "skipped",
}


class JunitWriter:
    """Gathers, and writes one document at the end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._run: Run | None = None
        self._results: dict[str, list[CaseResult]] = {}

    def start(self, run: Run) -> None:
        """Keeps the context for the suites' properties."""
        self._run = run

    def case(self, result: CaseResult) -> None:
        """Keeps a result."""
        self._results.setdefault(result.primitive, []).append(result)

    def finish(self, summary: Summary) -> None:
        """The document."""
        everything = [result for results in self._results.values() for result in results]
        root = ET.Element("testsuites", {"name": "evkit", **_counts(everything)})
        for primitive, results in self._results.items():
            suite = ET.SubElement(root, "testsuite", {"name": primitive, **_counts(results)})
            self._properties(suite, summary)
            for result in results:
                _testcase(suite, result)
        ET.indent(root)
        text = ET.tostring(
            root, encoding="us-ascii"
        ).decode()  # whatever encoding the stream has, ASCII is safe
        self._stream.write(f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n")
        self._stream.flush()

    def _properties(self, suite: ET.Element, summary: Summary) -> None:
        found = {"exit_code": str(summary.exit_code), "interrupted": str(summary.interrupted).lower()}
        if self._run is not None:
            context = self._run.context
            found |= {"version": self._run.version, "kernel": context.kernel, "python": context.python}
            if self._run.seed is not None:
                found["seed"] = str(self._run.seed)
        properties = ET.SubElement(suite, "properties")
        for name, value in found.items():
            ET.SubElement(properties, "property", name=name, value=_clean(value))


def _counts(results: list[CaseResult]) -> dict[str, str]:
    tags = [_TAGS.get(verdict_of(result)) for result in results]
    return {
        "tests": str(len(results)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": _seconds(sum(result.duration_ns for result in results)),
    }


def _testcase(suite: ET.Element, result: CaseResult) -> None:
    name = shown_id(result).partition("/")[2]
    case = ET.SubElement(
        suite, "testcase", classname=f"evkit.{result.primitive}", name=name, time=_seconds(result.duration_ns)
    )
    verdict = verdict_of(result)
    tag = _TAGS.get(verdict)
    if tag is not None:
        outcome = ET.SubElement(case, tag, message=_clean(_message(result, verdict)), type=verdict.value)
        outcome.text = _clean("\n".join(_failed(result))) or None
    lines = [_check_line(check) for check in result.checks]
    lines += [f"{line.variant}: {line.text}" if line.variant else line.text for line in result.trace]
    if lines:
        ET.SubElement(case, "system-out").text = _clean("\n".join(lines))


def _message(result: CaseResult, verdict: Verdict) -> str:
    if result.known is not None and verdict is Verdict.UNLISTED:
        return "; ".join(result.known.differences)
    if result.known is not None and verdict is Verdict.KNOWN:
        return f"known: {'; '.join(result.known.reasons)}"
    return result.reason or verdict.value


def _failed(result: CaseResult) -> list[str]:
    return [_check_line(check) for check in result.checks if check.status.value == "fail"]


def _check_line(check: Check) -> str:
    where = f"{check.variant}: " if check.variant else ""
    expected = "" if check.expected is None else f" expected {shown_value(check.expected)}"
    because = f" ({check.reason})" if check.reason else ""
    return (
        f"{check.status.value} {check.kind.value} {where}{check.claim}"
        f"{expected} observed {shown_value(check.observed)}{because}"
    )


def _seconds(duration_ns: int) -> str:
    return f"{duration_ns / 1e9:.6f}"


def _clean(text: str) -> str:
    """Text without what XML 1.0 cannot hold (section 2.2), escaped as Python would."""
    return _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
