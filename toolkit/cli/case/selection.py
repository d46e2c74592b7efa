"""What several `case` commands share: which cases, in how many columns, with what colour."""

import os
import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.lab.case import Case

Patterns = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATTERN]...", help="Ids or globs such as 'epoll/*'; all cases without one."),
]
Primitive = Annotated[
    str | None,
    typer.Option("--primitive", metavar="P", help="Only cases of this primitive, such as eventfd."),
]

_NARROWEST = 40
_UNBOUNDED = 100_000


def chosen(patterns: list[str] | None, primitive: str | None = None) -> "list[Case]":
    """The cases selected; refuses (status 2) what selects nothing, and names near misses."""
    from toolkit.engine import NothingSelectedError, select
    from toolkit.lab.case import CaseInvalidError

    try:
        return select(patterns or (), primitive)
    except NothingSelectedError as error:
        refuse(str(error))
    except CaseInvalidError as error:
        refuse(str(error), Exit.HARNESS)


def columns() -> int:
    """The terminal's width, or $COLUMNS; 80 where there is neither."""
    return max(shutil.get_terminal_size().columns, _NARROWEST)


def columns_unless_piped() -> int:
    """As `columns`, but lines stay whole where another program reads them."""
    people = "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())
    return columns() if people else _UNBOUNDED
