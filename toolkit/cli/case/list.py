"""`evkit case list`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.case.selection import Patterns, Primitive, chosen, columns_unless_piped
from toolkit.cli.options import Json
from toolkit.cli.output import Output

app = new_app()

_LEAST_ROOM = 40

Claims = Annotated[bool, typer.Option("--claims", help="List what they check: claim, source, case.")]


@app.command("list", epilog=examples("evkit case list 'epoll/*'", "evkit case list --claims --json"))
def list_cases(
    pattern: Patterns = None, primitive: Primitive = None, claims: Claims = False, json: Json = False
) -> None:
    """List the cases, or the claims that they check."""
    from toolkit.engine import claims as defined_claims
    from toolkit.report.catalogue import describe_case, describe_claims

    cases = chosen(pattern, primitive)
    output = Output(json)
    if claims:
        rows = describe_claims(cases, defined_claims())
        width = max(len(row.claim) for row in rows)
        for row in rows:
            output.result(row, _columns(row.claim, width, f"{row.source}  {', '.join(row.cases)}"))
    else:
        width = max(len(case.id) for case in cases)
        for case in cases:
            info = describe_case(case)
            output.result(info, _columns(info.id, width, info.title))


def _columns(name: str, width: int, text: str) -> str:
    """Name and text side by side, or one below the other where that leaves the text too little room."""
    import textwrap

    columns, indent = columns_unless_piped(), width + 2
    beside = columns - indent >= _LEAST_ROOM
    lines = textwrap.wrap(
        f"{name:<{width}}  {text}" if beside else text,
        columns,
        initial_indent="" if beside else "    ",
        subsequent_indent=" " * indent if beside else "    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(lines if beside else [name, *lines])
