"""A line on a terminal that says how far a run has come, and is gone when the run is over."""

from typing import TextIO


class Progress:
    """Shows itself only where `stream` is a terminal; results are written between `hide` and `show`."""

    def __init__(self, stream: TextIO | None, width: int, total: int | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._width = width
        self._total = total
        self._done = 0
        self._shown = 0

    def step(self) -> None:
        """One more is done."""
        self._done += 1

    def show(self, text: str) -> None:
        """How many are done, and `text`."""
        of = "" if self._total is None else f"/{self._total}"
        line = f"{self._done}{of}  {text}"[: self._width - 1]
        self._put(f"\r{line.ljust(self._shown)}")
        self._shown = len(line)

    def hide(self) -> None:
        """Leaves the line empty for what comes next."""
        self._put(f"\r{' ' * self._shown}\r")  # blanks: not every console of Windows knows escape sequences
        self._shown = 0

    def _put(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()
