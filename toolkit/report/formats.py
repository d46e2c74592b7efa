"""The formats of a case run by name, and the stream each writes to."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TextIO

from toolkit.records import CaseResult, Summary
from toolkit.report.context import Run
from toolkit.report.human import HumanWriter, Look
from toolkit.report.jsonl import JsonLines
from toolkit.report.writer import CaseWriter

NAMES = ("human", "jsonl", "tap", "junit")


class JsonlWriter:
    """The run, each case and the summary as JSON Lines."""

    def __init__(self, stream: TextIO) -> None:
        self._lines = JsonLines(stream)

    def start(self, run: Run) -> None:
        """The run record."""
        self._lines.write(run)

    def case(self, result: CaseResult) -> None:
        """The case record."""
        self._lines.write(result)

    def finish(self, summary: Summary) -> None:
        """The summary record."""
        self._lines.write(summary)


def new_writer(name: str, stream: TextIO, look: Look) -> CaseWriter:
    """A writer of the format `name`, one of NAMES. Only that format's module is imported: each takes milliseconds."""
    if name == "human":
        return HumanWriter(stream, look)
    if name == "jsonl":
        return JsonlWriter(stream)
    writer: Any = getattr(import_module(f"toolkit.report.{name}"), f"{name.capitalize()}Writer")
    plain: CaseWriter = writer(stream)
    return plain


@contextmanager
def results_to(file: str) -> Iterator[TextIO]:
    """Where results go: the file, emptied, or stdout for `-`.

    Raises:
        OSError: the file cannot be written.
    """
    if file == "-":
        if not sys.stdout.writable():  # descriptor 1 was closed when Python started
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        yield sys.stdout
    else:
        with open(file, "w", encoding="utf-8") as stream:
            yield stream
