"""`evkit doctor`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.colour import Paint
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.features import Feature
    from toolkit.report.context import Run

app = new_app()
_NAME_WIDTH = 26


@app.command(epilog=examples("evkit doctor", "evkit doctor epoll_create1 eventfd2", "evkit doctor --json"))
def doctor(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]", help="Only these features; status 77 when one of them is missing."
        ),
    ] = None,
    json: Json = False,
) -> Exit:
    """Say what this platform offers, by trying: each primitive, flag, syscall and limit.

    Nothing is derived from a version string: every line is a call made just now.
    """
    from toolkit.features import PROBES, probe
    from toolkit.report.context import describe_run

    for name in names or ():
        if name not in PROBES:
            _refuse_unknown(name, list(PROBES))
    output = Output(json)
    run = describe_run(sys.argv)
    output.result(run, _heading(run))
    paint = Paint(sys.stdout)
    primitive = None
    everything = True
    for name in names or PROBES:
        feature = probe(name)
        if feature.primitive != primitive:
            primitive = feature.primitive
            output.text()
            output.text(paint(primitive, "bold"))
        output.result(feature, _lines(feature, paint))
        everything = everything and feature.available
    return Exit.LACKS if names and not everything else Exit.OK


def _heading(run: "Run") -> str:
    context = run.context
    about = [context.kernel, context.arch, context.python, context.libc or "", f"{context.cpus} CPUs"]
    if context.container:
        about.append(f"container: {context.container}")
    from toolkit.cli.layout import paragraph

    return paragraph(", ".join(part for part in about if part))


def _lines(feature: "Feature", paint: Paint) -> str:
    from toolkit.cli.layout import paragraph

    mark = paint("yes", "green") if feature.available else paint("no ", "red")
    start = f"  {mark} {feature.name:<{_NAME_WIDTH}}"
    indent = " " * (6 + _NAME_WIDTH)
    text = feature.about or ""
    if feature.value is not None:
        text += f" = {feature.value}"
    lines = start + paragraph(text, indent).removeprefix(indent)
    if feature.reason:
        lines += "\n" + paragraph(f"why: {feature.reason}", indent)
    return lines


def _refuse_unknown(name: str, known: list[str]) -> None:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`evkit doctor` lists them all"
    refuse(f"unknown feature {name!r}; {hint}")
