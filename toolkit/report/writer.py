"""What every format of a case run is: told of the start, of each result as it comes, and of the end."""

from typing import Protocol

from toolkit.records import CaseResult, Summary
from toolkit.report.context import Run


class CaseWriter(Protocol):
    """Each call leaves the output whole; `finish` comes also when the run was interrupted."""

    def start(self, run: Run) -> None:
        """Before any result."""

    def case(self, result: CaseResult) -> None:
        """One result."""

    def finish(self, summary: Summary) -> None:
        """After the last; nothing follows."""


def shown_value(value: object) -> str:
    """An expected or observed value on one line, as JSON."""
    import json

    return json.dumps(value)


def shown_id(result: CaseResult) -> str:
    """The id, with the iteration from the second on."""
    return result.id if result.iteration <= 1 else f"{result.id} (iteration {result.iteration})"


def printable(text: str) -> str:
    """Text that a terminal only shows: line ends as spaces, what it would obey escaped as Python does."""
    if text.isprintable():
        return text
    shown = (char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return "".join(" " if char in ("\\n", "\\r", "\\t") else char for char in shown)
