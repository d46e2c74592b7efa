"""`evkit iocp watch`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Count, Json, ReadyFd, TimeoutNs
from toolkit.cli.output import Output
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.cli.signals import EndedBySignal
from toolkit.exits import Exit

app = new_app()


@app.command(epilog=examples("evkit iocp watch . --count 1 --timeout 5s"))
def watch(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="The directory to watch.")],
    subtree: Annotated[bool, typer.Option("--subtree", help="Also everything below it.")] = False,
    count: Count = None,
    timeout: TimeoutNs = None,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> Exit:
    """Print the changes in a directory, one line each: ReadDirectoryChangesW on a completion port."""
    from toolkit.scheduler.directory_watch import CannotWatch, Lost, watch_directory

    output = Output(json)
    readiness = Readiness(ready_fd)
    seen = 0
    try:
        for change in watch_directory(directory, subtree, timeout, readiness.announce):
            if isinstance(change, int):
                raise EndedBySignal(change)
            if isinstance(change, Lost):
                output.result(change, "lost: more happened than the buffer held; look for yourself")
            else:
                output.result(change, f"{change.action} {change.name}")
            seen += 1
            if seen == count:
                return Exit.OK
    except CannotWatch as error:
        refuse(str(error))
    except TimeoutError:
        return Exit.TIMEOUT
    return Exit.OK
