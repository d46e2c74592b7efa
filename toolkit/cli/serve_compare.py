"""`evkit serve --compare`."""

import sys
from typing import TYPE_CHECKING

from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.servers.comparison import ComparisonPlan
    from toolkit.servers.options import ServeOptions


def run(options: "ServeOptions", plan: "ComparisonPlan", only_dispatch: bool, json: bool) -> int:
    """Compares, prints rows or a table, and says 1 when a model lost a request or its ledgers do not hold."""
    from toolkit.report.live_line import LiveLine
    from toolkit.servers.comparison import compare
    from toolkit.servers.comparison_text import ADVICE, DISPATCH_ADVICE, HOW_COMPARED, table
    from toolkit.servers.requests import ParserMissingError, load_parser

    try:
        load_parser()
    except ParserMissingError as error:
        refuse(str(error))
    output = Output(json)
    with LiveLine(sys.stderr) as line:
        rows = list(compare(options, plan, only_dispatch, line.draw))
    if only_dispatch:
        rows.sort(key=lambda row: row.p99_ns)
    for row in rows if json else ():
        output.result(row, "")
    output.text(table(rows, plan))
    output.text()
    output.text(DISPATCH_ADVICE if only_dispatch else f"{HOW_COMPARED}\n\n{ADVICE}")
    return Exit.DIFFERED if any(row.lost or row.ledgers_hold is False for row in rows) else Exit.OK
