"""`evkit eventfd read`."""

from select import POLLIN

from toolkit.cli.apps import examples, new_app
from toolkit.cli.eventfd.inherited import Fd, borrowed_eventfd
from toolkit.cli.eventfd.waiting import when_ready
from toolkit.cli.options import Json, ReadyFd, TimeoutNs
from toolkit.cli.output import Output
from toolkit.cli.readiness import Readiness

app = new_app()


@app.command(epilog=examples("evkit eventfd run --initial 5 -- sh -c 'evkit eventfd read --timeout 2s'"))
def read(fd: Fd = None, timeout: TimeoutNs = None, ready_fd: ReadyFd = None, json: Json = False) -> None:
    """Take an inherited eventfd's counter (one unit of a semaphore) and print it; waits while it is 0.

    Polls before it reads and leaves O_NONBLOCK alone: the flag belongs to every holder of the file.
    """
    readiness = Readiness(ready_fd)
    eventfd = borrowed_eventfd(fd)
    number = eventfd.fileno()
    readiness.announce()
    value = when_ready(number, POLLIN, eventfd.read, timeout, "the counter stayed 0")
    record = {"type": "event", "primitive": "eventfd", "operation": "read", "fd": number, "value": hex(value)}
    Output(json).result(record, str(value))
