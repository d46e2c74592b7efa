"""A comparison of two runs for people: a line a case, and under it what is not the same."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

from toolkit.report.diff import CaseDifference, Difference, Side
from toolkit.report.human import Paint
from toolkit.report.reading import ReadRun
from toolkit.report.writer import printable, shown_value

_STYLES = {"same": ("dim",), "differs": ("red", "bold"), "missing": ("yellow",)}
_WORD = len("differs")


def diff_lines(
    a: ReadRun, b: ReadRun, differences: Iterable[CaseDifference], width: int, paint: Paint
) -> Iterator[str]:
    """The two sides, each case, and the counts."""
    yield f"A  {a.where}"
    yield f"B  {b.where}"
    yield ""
    counts: Counter[str] = Counter()
    noted = 0
    for found in differences:
        counts[found.case.verdict] += 1
        noted += sum(part.verdict != "same" and not part.decides for part in found.parts)
        word = paint(f"{found.case.verdict:<{_WORD}}", *_STYLES[found.case.verdict])
        yield f"{word}  {found.case.id}{_where_missing(found.case)}"
        for part in (found.case, *found.parts):
            if part.verdict != "same" and (part is not found.case or not found.parts):
                yield from _part(part, width, paint)
    yield ""
    yield ", ".join(f"{counts[verdict]} {verdict}" for verdict in _STYLES) + (
        f"; recorded values, which decide nothing, differ in {noted}" if noted else ""
    )


def _where_missing(row: Difference) -> str:
    if row.verdict != "missing":
        return ""
    return "  (not in A)" if row.a is None else "  (not in B)"


def _part(row: Difference, width: int, paint: Paint) -> Iterator[str]:
    indent = " " * (_WORD + 2)
    names = [name for name in (row.variant, row.claim) if name]
    word = "" if row.decides else "recorded  "
    if names:
        yield f"{indent}{word}{' '.join(names)}{_where_missing(row)}"
    for name, side in (("A", row.a), ("B", row.b)):
        if side is not None:
            text = printable(f"{name}  {_shown(side, row)}")
            yield from textwrap.wrap(
                text,
                width,
                initial_indent=f"{indent}  ",
                subsequent_indent=f"{indent}     ",
                break_on_hyphens=False,
            )


def _shown(side: Side, row: Difference) -> str:
    observed = (
        f" observed {' or '.join(map(shown_value, side.observed))}" if side.observed and row.claim else ""
    )
    reasons = f" ({'; '.join(side.reasons)})" if side.reasons else ""
    return f"{' or '.join(side.statuses)}{observed}{reasons}"
