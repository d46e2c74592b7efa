"""How a demo's steps are printed."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolkit.cli.colour import Paint
from toolkit.cli.layout import paragraph
from toolkit.cli.output import Output

if TYPE_CHECKING:
    from toolkit.demos.step import Step


def print_story(steps: "Iterable[Step]", as_json: bool) -> None:
    """Each step as soon as it has happened: what it shows, the calls, and what they said."""
    output = Output(as_json)
    paint = Paint(None if as_json else sys.stdout)
    for step in steps:
        lines = [paint(paragraph(step.title, f"{step.number:2}. "), "bold")]
        lines += [paint(paragraph(call, "      ", "          "), "dim") for call in step.calls]
        if step.note:
            lines.append(paragraph(step.note, "    => "))
        output.result(step, "\n".join(lines) + "\n")
