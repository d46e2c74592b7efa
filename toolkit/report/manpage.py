"""A case as a section of a manual page."""

import textwrap
from collections.abc import Iterator, Sequence

from toolkit.records import CaseResult
from toolkit.report.catalogue import CaseInfo, ClaimInfo
from toolkit.report.human import Paint
from toolkit.report.writer import printable

_WIDEST = 100
"""Prose in longer lines is hard to read."""
_BODY = 4
_DEEPER = 8


class Manpage:
    """Lays out the parts; `width` in columns."""

    def __init__(self, width: int, paint: Paint) -> None:
        self._width = min(width, _WIDEST)
        self._paint = paint

    def lines(self, case: CaseInfo, claims: Sequence[ClaimInfo], result: CaseResult | None) -> Iterator[str]:
        """The whole page; with a result, what was called and seen as it ran now."""
        yield from self._section("NAME")
        yield from self._wrap(f"{case.id} - {case.title}")
        for title, text in (
            ("WHAT IT DOES", case.does),
            ("WHY IT BITES", case.bites),
            ("WHAT YOU WILL SEE", case.see),
        ):
            yield from self._section(title)
            yield from self._wrap(text)
        yield from self._variants(case)
        yield from self._section("CLAIMS CHECKED")
        for claim in claims:
            yield " " * _BODY + self._paint(claim.claim, "bold")
            since = f", since Linux {claim.since}" if claim.since else ""
            yield from self._wrap(f"{claim.text} [{claim.source}{since}]", _DEEPER)
        if case.needs:
            yield from self._section("NEEDS")
            yield from self._wrap(", ".join(case.needs))
        if result is not None:
            yield from self._trace(result)
        yield from self._section("REFERENCES")
        for reference in case.references:
            yield from self._wrap(reference, hanging=2)
        yield from self._section("TO RUN IT")
        yield from self._wrap(f"evkit case run {case.id}" + ("" if result else " --trace"))

    def _variants(self, case: CaseInfo) -> Iterator[str]:
        named = [variant for variant in case.variants if variant.name]
        if named:
            yield from self._section("VARIANTS")
            for variant in named:
                yield from self._wrap(f"{variant.name:<7} {variant.text or ''}", hanging=_DEEPER)

    def _trace(self, result: CaseResult) -> Iterator[str]:
        for variant in result.variants:
            name = f", {variant.name}" if variant.name else ""
            yield from self._section(f"TRACE{name.upper()}")
            ended = f"{variant.status.value} in {variant.duration_ns / 1e6:.0f} ms"
            yield from self._wrap(f"As run now: {ended}{f'; {variant.reason}' if variant.reason else ''}")
            for line in result.trace:
                if line.variant == variant.name:
                    yield from self._wrap(line.text, _DEEPER, hanging=2)

    def _section(self, title: str) -> Iterator[str]:
        if title != "NAME":
            yield ""
        yield self._paint(title, "bold")

    def _wrap(self, text: str, indent: int = _BODY, hanging: int = 0) -> list[str]:
        return textwrap.wrap(
            printable(text),
            self._width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hanging),
            break_on_hyphens=False,
            break_long_words=False,
        )
