"""`evkit eventfd add`."""

from select import POLLOUT
from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.eventfd.inherited import Fd, borrowed_eventfd
from toolkit.cli.eventfd.values import counter_value
from toolkit.cli.eventfd.waiting import when_ready
from toolkit.cli.options import Json, ReadyFd, TimeoutNs
from toolkit.cli.output import Output
from toolkit.cli.readiness import Readiness

app = new_app()


@app.command(
    epilog=examples(
        "evkit eventfd run -- sh -c 'evkit eventfd add 3; evkit eventfd peek'",
        "evkit eventfd run -- sh -c 'evkit eventfd add 100k; evkit eventfd add 0x10; evkit eventfd read'",
    )
)
def add(
    value: Annotated[
        int, typer.Argument(parser=counter_value, metavar="VALUE", help="0 to 2^64-2: 3, 100k, 0x10.")
    ],
    fd: Fd = None,
    timeout: TimeoutNs = None,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> None:
    """Add VALUE to an inherited eventfd; waits while that would pass 2^64-2.

    Polls before it writes and leaves O_NONBLOCK alone: the flag belongs to every holder of the file.
    """
    readiness = Readiness(ready_fd)
    eventfd = borrowed_eventfd(fd)
    number = eventfd.fileno()
    readiness.announce()
    when_ready(number, POLLOUT, lambda: eventfd.write(value), timeout, f"no room for {value} more")
    if json:
        record = {
            "type": "event",
            "primitive": "eventfd",
            "operation": "add",
            "fd": number,
            "value": hex(value),
        }
        Output(json).result(record, None)
