"""The live line of a stress run: on stderr, over the same line of a terminal, one line after the other elsewhere."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from toolkit.stress import render

if TYPE_CHECKING:
    from toolkit.stress.glimpse import Glimpse, Progress


@contextmanager
def live_line(show: bool) -> "Iterator[Progress]":
    """What draws it. On a terminal it is gone at the end; a stderr that takes nothing costs the line, not the run."""
    terminal = show and sys.stderr.isatty()
    width = (
        0  # blanks rub out what is left of a longer line: not every console of Windows knows escape sequences
    )

    def draw(glimpse: "Glimpse") -> None:
        nonlocal width
        text = render.live_line(glimpse)
        if terminal:
            text = text[: _columns() - 1]  # a line that wraps is never drawn over
        _write(f"\r{text.ljust(width)}" if terminal else f"{text}\n")
        width = len(text)

    try:
        yield draw
    finally:
        if terminal:
            _write(f"\r{' ' * width}\r")


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _write(text: str) -> None:
    """Past Python's buffer, which would keep what was refused and fail again at the next write."""
    with suppress(OSError):
        sys.stderr.flush()
        os.write(sys.stderr.fileno(), text.encode())
