"""A line on a terminal that says how far a run has come, and is gone when the run is over."""

import os
from contextlib import suppress
from types import TracebackType
from typing import TextIO

_USUAL_COLUMNS = 80


class LiveLine:
    """Drawn over itself where `stream` is a terminal, and nowhere else; gone at the end of a with block.

    It never wraps, and a stream that takes nothing costs the line, not the run.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._shown = 0

    def __enter__(self) -> "LiveLine":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def draw(self, text: str) -> None:
        """`text` in the place of what was drawn before."""
        if self._stream is None:
            return
        most = _columns(self._stream) - 1  # a line that wraps is never drawn over
        line = text[:most]
        # blanks rub out what is left of a longer one: not every console of Windows knows escape sequences
        write_or_lose(self._stream, f"\r{line.ljust(min(self._shown, most))}")
        self._shown = len(line)

    def clear(self) -> None:
        """Leaves the line empty for what comes next."""
        if self._shown:
            self.draw("")
            write_or_lose(self._stream, "\r")


def write_or_lose(stream: TextIO | None, text: str) -> None:
    """Past Python's buffer, which would keep what was refused and fail again at the next write."""
    if stream is not None:
        with suppress(OSError):
            stream.flush()
            os.write(stream.fileno(), text.encode())


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except OSError:
        return _USUAL_COLUMNS
