"""`evkit eventfd peek`."""

from toolkit.cli.apps import examples, new_app
from toolkit.cli.eventfd.inherited import Fd, borrowed_eventfd
from toolkit.cli.options import Json
from toolkit.cli.output import Output

app = new_app()


@app.command(
    epilog=examples("evkit eventfd run --initial 5 -- sh -c 'evkit eventfd peek; evkit eventfd read'")
)
def peek(fd: Fd = None, json: Json = False) -> None:
    """Print an inherited eventfd's counter without taking it (proc_pid_fdinfo(5))."""
    eventfd = borrowed_eventfd(fd)
    count = eventfd.peek()
    record = {
        "type": "event",
        "primitive": "eventfd",
        "operation": "peek",
        "fd": eventfd.fileno(),
        "count": hex(count),
    }
    Output(json).result(record, str(count))
