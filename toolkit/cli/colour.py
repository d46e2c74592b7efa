"""Colour, for people only: on a terminal, and not when NO_COLOR says no (https://no-color.org)."""

import os
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


def wanted(stream: TextIO | None) -> bool:
    """Whether `stream` is a terminal whose user takes colour."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Paint:
    """Colours text, or leaves it alone when `stream` does not take colour."""

    def __init__(self, stream: TextIO | None) -> None:
        self.on = wanted(stream)

    def __call__(self, text: str, *styles: str) -> str:
        """`text` in `styles`: bold dim red green yellow blue cyan."""
        if not self.on or not text:
            return text
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"
