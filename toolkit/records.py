"""What runs report, as frozen records: the rooms that measure make them, `report` writes them."""

from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any

SCHEMA_VERSION = 1


class Status(str, Enum):
    """How a case, a variant or a check ended."""

    PASS = "pass"  # noqa: S105  not a password
    FAIL = "fail"
    SKIP = "skip"
    ERROR = "error"
    TIMEOUT = "timeout"


class Kind(str, Enum):
    """Whether a check decides (`must`) or only notes what no kernel promises (`record`)."""

    MUST = "must"
    RECORD = "record"


@dataclass(frozen=True)
class Check:
    """One claim, checked once. `expected` and `observed` are JSON values."""

    claim: str
    kind: Kind
    status: Status
    expected: Any = None
    observed: Any = None
    reason: str | None = None
    variant: str | None = None


@dataclass(frozen=True)
class TraceLine:
    """One call as a trace shows it, by which variant."""

    text: str
    variant: str | None = None


@dataclass(frozen=True)
class VariantResult:
    """How one variant (or the whole of a case without variants: name None) ended."""

    name: str | None
    status: Status
    duration_ns: int
    reason: str | None = None


@dataclass(frozen=True)
class Known:
    """What a list of known differences says of a result: `as_listed`, or in what it differs; and the reasons listed."""

    as_listed: bool
    differences: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseResult:
    """One case, run once: the worst of its variants."""

    id: str
    primitive: str
    status: Status
    duration_ns: int
    iteration: int
    variants: tuple[VariantResult, ...]
    checks: tuple[Check, ...] = ()
    trace: tuple[TraceLine, ...] = ()
    reason: str | None = None
    known: Known | None = None
    type: str = field(default="case", init=False)


@dataclass(frozen=True)
class Summary:
    """The last record of a run: counts by status, and the exit code it leads to.

    `unlisted`: with a list of known differences, how many results differ from it.
    """

    cases: int
    passed: int
    failed: int
    skipped: int
    errors: int
    timeouts: int
    duration_ns: int
    exit_code: int
    interrupted: bool = False
    unlisted: int | None = None
    type: str = field(default="summary", init=False)


class Word(int):
    """A 64-bit word, reported as a hex string: JSON readers lose integers above 2^53."""

    __slots__ = ()


_LEAVES = frozenset((str, int, bool, float, type(None)))
_NAMES: dict[type, tuple[str, ...] | None] = {}


def _field_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a record's class, `type` first; None for a class that is no record.

    Remembered: a record may hold a hundred thousand others.
    """
    if kind not in _NAMES:
        names = [f.name for f in fields(kind)] if is_dataclass(kind) else None
        _NAMES[kind] = None if names is None else tuple(sorted(names, key=lambda name: name != "type"))
    return _NAMES[kind]


def as_json(record: object) -> Any:  # noqa: ANN401  a JSON value
    """A record as JSON values: `type` first, absent (None) fields left out, enums by value, `Word`s in hex."""
    kind = type(record)
    if kind in _LEAVES:
        return record
    names = _field_names(kind)
    if names is not None:
        pairs = ((name, getattr(record, name)) for name in names)
        return {name: as_json(value) for name, value in pairs if value is not None}
    if isinstance(record, Enum):
        return record.value
    if isinstance(record, Word):
        return hex(record)
    if isinstance(record, dict):
        return {str(key): as_json(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [as_json(value) for value in record]
    return record
