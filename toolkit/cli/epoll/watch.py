"""`evkit epoll watch`."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Count, Json, ReadyFd, TimeoutNs
from toolkit.cli.output import Output
from toolkit.cli.quantities import count as parse_count
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.watch.epolls import SeenEvent

app = new_app()
_CHUNK = 65536
_PARTIAL = 1


@app.command(
    epilog=examples(
        "echo hello | evkit epoll watch -",
        "mkfifo a b; (echo left > a &) ; (echo right > b &) ; evkit epoll watch a b",
        "(printf hello; sleep 1) | evkit epoll watch --et --no-drain --count 1 -",
    )
)
def watch(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="A path (fifo, tty, device), fd:N, tcp:HOST:PORT, listen:PORT, or - for stdin.",
        ),
    ],
    events: Annotated[str, typer.Option(metavar="LIST", help="in,out,rdhup,pri,... (epoll_ctl(2)).")] = "in",
    et: Annotated[bool, typer.Option("--et", help="EPOLLET: tell of changes, not of states.")] = False,
    oneshot: Annotated[
        bool, typer.Option("--oneshot", help="EPOLLONESHOT: one event, then silence.")
    ] = False,
    exclusive: Annotated[
        bool, typer.Option("--exclusive", help="EPOLLEXCLUSIVE: wake one of several epolls.")
    ] = False,
    no_drain: Annotated[
        bool,
        typer.Option(
            "--no-drain", help="Read once an event and leave the rest: what --et then does not tell."
        ),
    ] = False,
    read: Annotated[
        int | None,
        typer.Option(
            parser=parse_count,
            metavar="N",
            help=f"Bytes a read; 0 reads nothing. {_CHUNK}, and {_PARTIAL} with --no-drain, unless given.",
        ),
    ] = None,
    count: Count = None,
    timeout: TimeoutNs = None,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> Exit:
    """Watch descriptors with one epoll and print a line an event, until all have ended.

    What is readable is read until nothing is left (a listener accepts, and closes what it accepted).
    What was inherited stays blocking: O_NONBLOCK belongs to every holder of the file.
    """
    from toolkit.ffi.flags import EPOLLET, EPOLLEXCLUSIVE, EPOLLONESHOT, events_from
    from toolkit.watch.deadline import Deadline
    from toolkit.watch.epolls import Reading, watch
    from toolkit.watch.targets import TargetError, open_target

    readiness = Readiness(ready_fd)
    output = Output(json)
    size = read if read is not None else _PARTIAL if no_drain else _CHUNK
    seen = 0
    deadline = Deadline(timeout)
    with ExitStack() as stack:
        try:
            bits = int(events_from(word for word in events.split(",") if word))
            opened = []
            for name in targets:
                opened.append(open_target(name, bits))
                stack.callback(opened[-1].close)
            for flag, wanted in ((EPOLLET, et), (EPOLLONESHOT, oneshot), (EPOLLEXCLUSIVE, exclusive)):
                bits |= flag if wanted else 0
            width = max(map(len, targets))
            for event in watch(opened, bits, Reading(size, not no_drain), deadline, readiness.announce):
                output.result(event, _line(event, width))
                seen += 1
                if seen == count:
                    return Exit.OK
        except (TargetError, ValueError) as error:
            refuse(str(error))
    if deadline.passed:
        refuse(f"gave up: the time limit passed after {seen} events", Exit.TIMEOUT)
    return Exit.OK


def _line(event: "SeenEvent", width: int) -> str:
    parts = [f"{event.target:<{width}}  {'|'.join(event.events)}"]
    if event.read_bytes:
        parts.append(
            f"read {event.read_bytes} byte{'s' if event.read_bytes > 1 else ''}: {_shown(event.content or '')}"
        )
    if event.accepted is not None:
        parts.append("accepted " + (", ".join(event.accepted) or "nothing"))
    if event.socket_error:
        parts.append(f"error {event.socket_error}, no longer watched")
    elif event.end_of_file:
        parts.append("end of file, no longer watched")
    return "  ".join(parts)


def _shown(content: str) -> str:
    from json import dumps

    from toolkit.cli.layout import width

    room = max(width() - 40, 24)
    return dumps(content if len(content) <= room else content[:room] + "...", ensure_ascii=False)
