"""`evkit eventfd run`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.eventfd.inherited import VARIABLE
from toolkit.cli.eventfd.values import counter_value
from toolkit.cli.execution import replace_process
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.primitives.eventfd import EFD_NONBLOCK, EFD_SEMAPHORE, EventFd

_INITIAL_LIMIT = 2**32 - 1  # eventfd(2) takes an unsigned int

app = new_app()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog=examples(
        "evkit eventfd run -- sh -c 'evkit eventfd add 3; evkit eventfd read'",
        "evkit eventfd run --initial 2 --semaphore -- sh -c 'evkit eventfd read; evkit eventfd peek'",
    ),
)
def run(
    command: Annotated[list[str], typer.Argument(metavar="CMD...", help="The command and its arguments.")],
    initial: Annotated[
        int, typer.Option(parser=counter_value, metavar="N", help="What the counter starts at.")
    ] = 0,
    semaphore: Annotated[
        bool, typer.Option("--semaphore", help="EFD_SEMAPHORE: each read takes one unit.")
    ] = False,
    nonblock: Annotated[
        bool, typer.Option("--nonblock", help="EFD_NONBLOCK, for every holder of it.")
    ] = False,
    json: Json = False,
) -> None:
    """Run CMD with a new eventfd, whose number CMD finds in $EVENTFD.

    Ends with CMD's own status; 127 when there is no such command, 126 when it cannot be run.
    """
    if initial > _INITIAL_LIMIT:
        refuse(f"--initial is at most {_INITIAL_LIMIT}: eventfd(2) takes an unsigned int; `add` takes more")
    flags = (EFD_SEMAPHORE if semaphore else 0) | (EFD_NONBLOCK if nonblock else 0)
    fd = EventFd(initial, flags).detach()  # no EFD_CLOEXEC: CMD is to inherit it
    if json:
        record = {
            "type": "event",
            "primitive": "eventfd",
            "operation": "create",
            "fd": fd,
            "count": hex(initial),
        }
        Output(json).result(record, None)
    replace_process(command, {VARIABLE: str(fd)})
