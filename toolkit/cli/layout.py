"""Text for people, fitted to the width they have."""

import shutil
import textwrap

_READABLE = 110


def width() -> int:
    """Columns to write in: the terminal's (or $COLUMNS), 80 without one."""
    return shutil.get_terminal_size((80, 24)).columns


def paragraph(text: str, first: str = "", rest: str | None = None) -> str:
    """`text` in lines no longer than the terminal, and no longer than reads well.

    `first` begins the first line, `rest` the others; without `rest`, as many spaces as `first` has.
    """
    return textwrap.fill(
        text,
        min(width(), _READABLE),
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
