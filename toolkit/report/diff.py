"""Two runs side by side: per case, variant and check whether they are the same.

What decides is compared: a case's, a variant's, a `must` check's status, and the observed value where both fail.
The value of a `record` check is compared too and reported, but it does not make two runs differ, because no kernel
promises it: the same machine may give another one next time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolkit.records import Kind, Status

Record = dict[str, Any]
"""A `case` record as read from JSON Lines."""


@dataclass(frozen=True)
class Side:
    """What one run has: each status, observed value and reason once, since a case may have run several times."""

    statuses: tuple[str, ...]
    observed: tuple[Any, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """One row: `same`, `differs` or `missing`; the side that lacks it is None."""

    id: str
    verdict: str
    a: Side | None
    b: Side | None
    variant: str | None = None
    claim: str | None = None
    kind: str | None = None
    type: str = field(default="diff", init=False)

    @property
    def decides(self) -> bool:
        """Whether this row makes the two runs differ."""
        return self.verdict != "same" and self.kind != Kind.RECORD.value


@dataclass(frozen=True)
class CaseDifference:
    """A case's own row, and below it those of its variants and checks."""

    case: Difference
    parts: tuple[Difference, ...]


def compare_runs(a: Iterable[Record], b: Iterable[Record]) -> Iterator[CaseDifference]:
    """Every case that either run has, by id."""
    left, right = _by_id(a), _by_id(b)
    for case_id in sorted({*left, *right}):
        yield _case(case_id, left.get(case_id, []), right.get(case_id, []))


def _by_id(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["id"], []).append(record)
    return found


def _case(case_id: str, a: Sequence[Record], b: Sequence[Record]) -> CaseDifference:
    sides = _side(a), _side(b)
    if not a or not b:
        return CaseDifference(Difference(case_id, "missing", *sides), ())
    parts = tuple(_parts(case_id, a, b))
    differs = any(part.decides for part in parts) or not _same(*sides)
    return CaseDifference(Difference(case_id, "differs" if differs else "same", *sides), parts)


def _parts(case_id: str, a: Sequence[Record], b: Sequence[Record]) -> Iterator[Difference]:
    for variant in _merged(_variants(a), _variants(b)):
        left, right = _variants(a).get(variant, []), _variants(b).get(variant, [])
        if variant is not None or not (left and right):
            yield Difference(case_id, _verdict(left, right), _side(left), _side(right), variant)
        checks = _checks(a, variant), _checks(b, variant)
        if all(checks):  # where one side has none at all, its variant's row has said so
            for key in _merged(*checks):
                yield _check(case_id, variant, checks[0].get(key, []), checks[1].get(key, []))


def _check(case_id: str, variant: str | None, a: Sequence[Record], b: Sequence[Record]) -> Difference:
    some = (a or b)[0]
    verdict = _verdict(a, b)
    left, right = _side(a), _side(b)
    if verdict == "same" and left and right and _decided_by_value(some, left) and not _alike(left, right):
        verdict = "differs"
    return Difference(case_id, verdict, left, right, variant, some["claim"], some["kind"])


def _decided_by_value(check: Record, side: Side) -> bool:
    return check["kind"] == Kind.RECORD.value or Status.FAIL.value in side.statuses


def _alike(a: Side, b: Side) -> bool:
    return sorted(map(repr, a.observed)) == sorted(map(repr, b.observed))


def _verdict(a: Sequence[Record], b: Sequence[Record]) -> str:
    if not a or not b:
        return "missing"
    return "same" if _same(_side(a), _side(b)) else "differs"


def _same(a: Side | None, b: Side | None) -> bool:
    return a is not None and b is not None and set(a.statuses) == set(b.statuses)


def _side(records: Sequence[Record]) -> Side | None:
    if not records:
        return None
    return Side(
        statuses=_once(record["status"] for record in records),
        observed=_once(record["observed"] for record in records if "observed" in record),
        reasons=_once(record["reason"] for record in records if "reason" in record),
    )


def _once(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple({repr(value): value for value in values}.values())


def _variants(records: Sequence[Record]) -> dict[str | None, list[Record]]:
    found: dict[str | None, list[Record]] = {}
    for record in records:
        for variant in record["variants"]:
            found.setdefault(variant.get("name"), []).append(variant)
    return found


def _checks(records: Sequence[Record], variant: str | None) -> dict[tuple[str, int], list[Record]]:
    """By claim, and by which time the variant checks that claim in one run."""
    found: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        times: dict[str, int] = {}
        for check in record["checks"]:
            if check.get("variant") == variant:
                claim = check["claim"]
                times[claim] = times.get(claim, 0) + 1
                found.setdefault((claim, times[claim]), []).append(check)
    return found


def _merged(a: Iterable[Any], b: Iterable[Any]) -> list[Any]:
    """The keys of both in their order, those of `a` first."""
    return list(dict.fromkeys([*a, *b]))
