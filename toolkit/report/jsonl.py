"""JSON Lines: one record a line, `type` first, written at once, so that a killed run ends on a whole line."""

import json
from typing import TextIO

from toolkit.records import as_json


def to_line(record: object) -> str:
    """One record as one line of ASCII JSON, without the newline."""
    return json.dumps(as_json(record), allow_nan=False)


class JsonLines:
    """Writes records to a text stream, each in a single write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, record: object) -> None:
        """Appends one record and flushes.

        Raises:
            BrokenPipeError: the reader closed its end.
        """
        self._stream.write(to_line(record) + "\n")
        self._stream.flush()
