"""How the rows of a bench are printed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.cli.output import Output
from toolkit.stress.render import time_text

if TYPE_CHECKING:
    from toolkit.bench.contest import Row


def show(output: Output, title: str, rows: "Sequence[Row]") -> None:
    """A work's title, and a line for each contestant."""
    output.text(f"{title}:")
    for row in rows:
        output.result(row, row_text(row))


def row_text(row: "Row") -> str:
    """`  evkit   812 ns   1.43 of c   spread 3 %`."""
    ratio = "" if row.ratio is None else f"{row.ratio:.2f} of {row.ratio_to}"
    spread = row.spread if row.ratio_spread is None else row.ratio_spread
    warning = "  the spread makes this row meaningless" if row.meaningless else ""
    return f"  {row.contestant:<34} {time_text(row.ns_per_op):>9}  {ratio:<21} spread {spread:4.0%}{warning}"
