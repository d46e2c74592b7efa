"""Options that many commands share, as types to annotate parameters with."""

from typing import Annotated

import typer

from toolkit.cli.quantities import at_least_one, duration_ns

Json = Annotated[bool, typer.Option("--json", help="Write JSON Lines.")]
TimeoutNs = Annotated[
    int | None,
    typer.Option(
        "--timeout", parser=duration_ns, metavar="TIME", help="Give up after this long (status 124)."
    ),
]
ReadyFd = Annotated[
    int | None,
    typer.Option(
        "--ready-fd", metavar="N", help="Write a newline to descriptor N and close it once waiting."
    ),
]
Count = Annotated[
    int | None,
    typer.Option("--count", parser=at_least_one, metavar="N", help="End after this many, such as 3 or 100k."),
]
