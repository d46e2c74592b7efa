"""Reads what `case run --format jsonl` wrote."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class NotARunError(ValueError):
    """A file that is not a run's JSON Lines; the message says what is wrong, where, and what would be right."""


@dataclass(frozen=True)
class ReadRun:
    """The `case` records of a file, and its `run` record when it has one."""

    name: str
    run: dict[str, Any] | None
    cases: tuple[dict[str, Any], ...]

    @property
    def where(self) -> str:
        """Kernel and name of the file, as a reader needs them."""
        context = (self.run or {}).get("context", {})
        kernel = " ".join(str(context.get("kernel", "unknown kernel")).split()[:2])
        return f"{self.name}: {kernel}, {context.get('arch', 'unknown arch')}"


def read_run(file: str) -> ReadRun:
    """The run in `file`; `-` is stdin.

    Raises:
        NotARunError: it cannot be read, a line is not a record, or there is no case in it.
    """
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise NotARunError(f"cannot read {file!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise NotARunError(
            f"{file!r} is not text; give the output of `evkit case run --format jsonl`"
        ) from None
    records = [
        _record(line, f"{file} line {number}") for number, line in enumerate(text.splitlines(), start=1)
    ]
    cases = tuple(record for record in records if record["type"] == "case")
    if not cases:
        raise NotARunError(
            f"{file!r} holds no case record; give the output of `evkit case run --format jsonl`"
        )
    return ReadRun(file, next((record for record in records if record["type"] == "run"), None), cases)


_CASE_FIELDS = {"id": str, "status": str, "variants": list, "checks": list}
_PART_FIELDS = {"variants": ("status",), "checks": ("claim", "kind", "status")}


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("type"), str):
        raise NotARunError(f"{place} is no record; each line is what `evkit case run --format jsonl` writes")
    if record["type"] == "case" and (lacking := _lacking(record)):
        raise NotARunError(f"{place} is a case without {lacking}; each line is what evkit wrote, unchanged")
    return record


def _lacking(case: dict[str, Any]) -> str | None:
    """What a comparison needs and this record lacks."""
    for name, kind in _CASE_FIELDS.items():
        if not isinstance(case.get(name), kind):
            return name
    for name, fields in _PART_FIELDS.items():
        for part in case[name]:
            absent = [
                field
                for field in fields
                if not isinstance(part, dict) or not isinstance(part.get(field), str)
            ]
            if absent:
                return f"{name}' {absent[0]}"
    return None
