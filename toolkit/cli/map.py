"""`evkit map`."""

import sys

from toolkit.cli.apps import examples, new_app
from toolkit.cli.colour import Paint
from toolkit.cli.options import Json
from toolkit.cli.output import Output

app = new_app()

_TITLES = ("", "epoll (Linux)", "IOCP (Windows)", "kqueue (BSD, macOS)")
_TOPIC_WIDTH = 12
_WIDEST_CELL = 56
_GAP = 2


@app.command(name="map", epilog=examples("evkit map", "evkit map --json"))
def show_map(json: Json = False) -> None:
    """Show epoll, I/O completion ports and kqueue side by side: what does the same job in each.

    With --json each row also names the pages that say so.
    """
    from toolkit.cli.layout import width
    from toolkit.mapping import ROWS

    output = Output(json)
    paint = Paint(sys.stdout)
    cell = min((width() - _TOPIC_WIDTH - 3 * _GAP) // 3, _WIDEST_CELL)
    output.text(paint(_row(_TITLES, cell), "bold"))
    for row in ROWS:
        text = _row((row.topic, row.epoll, row.iocp, row.kqueue), cell)
        output.result(row, "\n" + text)


def _row(cells: tuple[str, ...], cell: int) -> str:
    from itertools import zip_longest

    widths = [_TOPIC_WIDTH] + [cell] * 3
    lines = zip_longest(*map(_wrapped, cells, widths), fillvalue="")
    gap = " " * _GAP
    return "\n".join(
        gap.join(f"{text:<{size}}" for text, size in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _wrapped(text: str, size: int) -> list[str]:
    """`text` in lines; a name that is too long breaks behind a bracket or before a capital."""
    import re
    import textwrap

    wrapper = textwrap.TextWrapper(size, break_on_hyphens=False)
    wrapper.wordsep_simple_re = re.compile(r"(\s+|(?<=\w\()(?=\w)|(?<=[a-z])(?=[A-Z][a-z]))")
    return wrapper.wrap(text)
