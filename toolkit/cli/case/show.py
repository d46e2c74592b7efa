"""`evkit case show`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.case.selection import chosen, columns
from toolkit.cli.colour import Paint
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.lab.case import Case
    from toolkit.records import CaseResult

app = new_app()

Id = Annotated[str, typer.Argument(metavar="ID", help="A case's id, or a glob for several.")]
Trace = Annotated[bool, typer.Option("--trace", help="Run it now, and show each variant's calls.")]


@app.command("show", epilog=examples("evkit case show epoll/fd-reuse --trace"))
def show(case_id: Id, trace: Trace = False, json: Json = False) -> int:
    """Explain a case: what it does, why it bites, what you will see, and what it proves."""
    from toolkit.engine import claims as defined_claims
    from toolkit.report.catalogue import describe_case, describe_claims
    from toolkit.report.manpage import Manpage
    from toolkit.report.tally import Tally

    output, tally = Output(json), Tally()
    page = Manpage(columns(), Paint(sys.stdout))
    for number, case in enumerate(chosen([case_id])):
        result = _run_now(case) if trace else None
        info = describe_case(case)
        claims = describe_claims([case], defined_claims())
        if number:
            output.text()
        output.result(info, "\n".join(page.lines(info, claims, result)))
        if result is not None:
            tally.add(result)
            if json:
                output.result(result, "")
    return tally.exit_code() if trace else Exit.OK


def _run_now(case: "Case") -> "CaseResult":
    from toolkit.engine import Plan, run

    [result] = run(Plan((case,), trace=True))
    return result
