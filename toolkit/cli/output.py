"""Where results go: stdout, as text for people or as JSON Lines, each line whole and at once."""

import sys
from typing import Any


class Output:
    """Writes results to stdout, one a line, flushed: a reader sees each when it happens."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    @property
    def is_terminal(self) -> bool:
        """Whether a person watches."""
        return not self.as_json and sys.stdout is not None and sys.stdout.isatty()

    def result(self, record: Any, text: str) -> None:  # noqa: ANN401  a record, or a dict with `type` first
        """One result: `record` as JSON with `--json`, else `text`. Absent (None) fields are left out."""
        self._write(_encode(record) if self.as_json else text)

    def text(self, text: str = "") -> None:
        """A line that is only for people: headings, explanations."""
        if not self.as_json:
            self._write(text)

    def _write(self, line: str) -> None:
        if sys.stdout is not None:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


def _encode(record: Any) -> str:  # noqa: ANN401  a record, or a dict with `type` first
    import json

    from toolkit.records import as_json

    value = as_json(record)
    return json.dumps({name: item for name, item in value.items() if item is not None})
