"""Lists of known differences: `id[#claim][@variant] status  # reason`, a line each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from toolkit.records import Status

FORM = "id[#claim][@variant] status  # reason"
_STATUSES = tuple(status.value for status in Status)
_SUBJECT = re.compile(r"(?P<id>[a-z0-9]+/[a-z0-9-]+)(#(?P<claim>[a-z0-9-]+))?(@(?P<variant>[a-z0-9_]+))?")


class ListError(ValueError):
    """A list that cannot be used; the message names the line and what would be right."""


@dataclass(frozen=True)
class Entry:
    """One line: how a case, one of its variants or one of its claims is known to end, and why."""

    id: str
    claim: str | None
    variant: str | None
    status: Status
    reason: str
    place: str

    @property
    def subject(self) -> str:
        """`id[#claim][@variant]`, as written."""
        claim = f"#{self.claim}" if self.claim else ""
        return f"{self.id}{claim}" + (f"@{self.variant}" if self.variant else "")


@dataclass(frozen=True)
class KnownList:
    """A whole list, and the name it goes by."""

    name: str
    entries: tuple[Entry, ...]

    def of(self, case_id: str) -> tuple[Entry, ...]:
        """The lines about one case."""
        return tuple(entry for entry in self.entries if entry.id == case_id)


def shipped() -> list[str]:
    """The names of the lists in the package."""
    names = (Path(found.name) for found in files("toolkit.known").iterdir())
    return sorted(name.stem for name in names if name.suffix == ".txt")


def load(file_or_name: str) -> KnownList:
    """The list shipped under that name, or in that file (`./name` where both exist).

    Raises:
        ListError: there is none, it cannot be read, or a line of it is broken.
    """
    if file_or_name in shipped():
        name = f"{file_or_name}.txt"
        return parse((files("toolkit.known") / name).read_text(encoding="utf-8"), name)
    try:
        return parse(Path(file_or_name).read_text(encoding="utf-8"), file_or_name)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        there = ", ".join(shipped()) or "none"
        raise ListError(
            f"no list {file_or_name!r} ({why}); shipped lists: {there}; or give a readable file"
        ) from None


def parse(text: str, name: str) -> KnownList:
    """The entries of a list; empty lines and lines that start with `#` say nothing.

    Raises:
        ListError: a line is broken, or says something of a subject that an earlier line spoke of.
    """
    entries: dict[str, Entry] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            entry = _entry(line, f"{name} line {number}")
            if entry.subject in entries:
                raise ListError(
                    f"{entry.place}: {entry.subject} stands already in {entries[entry.subject].place}"
                )
            entries[entry.subject] = entry
    return KnownList(name, tuple(entries.values()))


def _entry(line: str, place: str) -> Entry:
    subject, _, rest = line.strip().partition(" ")
    status, _, reason = (part.strip() for part in rest.partition("#"))
    matched = _SUBJECT.fullmatch(subject)
    if matched is None:
        raise ListError(f"{place}: {subject!r} is no subject; write {FORM}")
    if status not in _STATUSES:
        raise ListError(f"{place}: the status {status!r} is none of {', '.join(_STATUSES)}; write {FORM}")
    if not reason:
        raise ListError(f"{place}: no reason after the status; write {FORM}")
    return Entry(matched["id"], matched["claim"], matched["variant"], Status(status), reason, place)


def check_subjects(known: KnownList, ids: Iterable[str]) -> None:
    """Holds a list against the catalogue: a line about a case that does not exist would never be missed.

    Raises:
        ListError: names the line, and the ids that come near.
    """
    import difflib

    there = list(ids)
    for entry in known.entries:
        if entry.id not in there:
            near = difflib.get_close_matches(entry.id, there, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else "`evkit case list` shows all"
            raise ListError(f"{entry.place}: there is no case {entry.id}; {hint}")
