"""`evkit case diff`."""

import sys
from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.case.selection import columns_unless_piped
from toolkit.cli.colour import Paint
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

app = new_app()

A = Annotated[
    str, typer.Argument(metavar="A.jsonl", help="What `case run --format jsonl` wrote; - is stdin.")
]
B = Annotated[str, typer.Argument(metavar="B.jsonl", help="The same from elsewhere.")]


@app.command(
    epilog=examples(
        "evkit case run --json -o a.jsonl 'eventfd/s*'; evkit case run --json 'eventfd/s*' | evkit case diff a.jsonl -"
    )
)
def diff(a: A, b: B, json: Json = False) -> int:
    """Compare two runs, case by case and check by check: same, differs or missing. Status 1 when anything differs.

    Statuses are compared, and what was observed where both fail. Values that a case only records, because no kernel
    promises them, are shown where they differ and decide nothing.
    """
    from toolkit.report.diff import compare_runs
    from toolkit.report.diff_text import diff_lines
    from toolkit.report.reading import NotARunError, read_run

    if a == b == "-":
        refuse("only one of the two runs can come from stdin; give a file for the other")
    try:
        runs = read_run(a), read_run(b)
    except NotARunError as error:
        refuse(str(error))
    found = list(compare_runs(runs[0].cases, runs[1].cases))
    output = Output(json)
    if json:
        for row in (row for case in found for row in (case.case, *case.parts)):
            output.result(row, "")
    else:
        for line in diff_lines(*runs, found, columns_unless_piped(), Paint(sys.stdout)):
            output.text(line)
    return Exit.DIFFERED if any(case.case.decides for case in found) else Exit.OK
