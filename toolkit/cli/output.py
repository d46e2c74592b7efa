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
        return not self.as_json and sys.stdout.isatty()

    def result(self, record: Any, text: str | None) -> None:  # noqa: ANN401  a record, or a dict with `type` first
        """One result: `record` as JSON with `--json`, else `text`; without text, nothing."""
        if self.as_json:
            from toolkit.report.jsonl import to_line

            text = to_line(record)
        if text is not None:
            self._write(text)

    def text(self, text: str = "") -> None:
        """A line that is only for people: headings, explanations."""
        if not self.as_json:
            self._write(text)

    def _write(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
