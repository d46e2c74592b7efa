"""`evkit tail`."""

import sys
from enum import Enum
from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json, ReadyFd, TimeoutNs
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit, by_signal

app = new_app()


class ExitBy(str, Enum):
    """The ways of `toolkit.scheduler.exit_ways`, which costs too much to import for `--help`."""

    SIGNALFD = "signalfd"
    SELF_PIPE = "self-pipe"
    EVENTFD = "eventfd"
    FLAG = "flag"
    PWAIT = "pwait"


@app.command(
    epilog=examples(
        "printf 'one\\ntwo\\n' | evkit tail --quiet -",
        "mkfifo a b; (echo left > a &) ; (echo right > b &) ; evkit tail --quiet a b",
    )
)
def tail(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Fifos, devices, files; - is stdin.")],
    exit_by: Annotated[
        ExitBy | None,
        typer.Option(
            "--exit-by",
            show_default="signalfd",
            help="How the loop notices Ctrl-C, on Linux; `evkit bench exit` compares.",
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Wait for a fifo's next writer when the last has left. On Windows also for a file to grow; it is "
            "read from its start once found shorter than what was read: not if it was cut and outgrew that.",
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Do not log how the exit signal is registered and noticed.")
    ] = False,
    timeout: TimeoutNs = None,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> int:
    """Print the lines of many pipes and files as they come, until all have ended or Ctrl-C.

    One coroutine a file, on one epoll; on Windows on one completion port. With several files each line starts with
    its file's name.
    """
    platform: str = sys.platform  # a plain str, so that type checkers read on
    if platform == "win32":
        if exit_by is not None:
            refuse(f"--exit-by {exit_by.value} is for Linux; here Ctrl-C comes as a packet of the port")
        return _tail_handles(files, quiet=quiet, follow=follow, timeout=timeout, ready_fd=ready_fd, json=json)
    import signal

    from toolkit.scheduler.epoll_scheduler import EpollScheduler
    from toolkit.scheduler.exit_ways import WAYS
    from toolkit.scheduler.lines import Render, tail
    from toolkit.scheduler.sources import CannotTail, Source

    readiness = Readiness(ready_fd)
    sources: list[Source] = []
    try:
        sources.extend(Source(name) for name in files)
    except CannotTail as error:
        refuse(str(error))
    render: Render = _as_json if json else _plain if len(files) == 1 else _with_name
    ending = [signal.SIGINT, signal.SIGTERM] + ([signal.SIGALRM] if timeout is not None else [])
    scheduler = EpollScheduler(
        ending, WAYS[(exit_by or ExitBy.SIGNALFD).value], (lambda _line: None) if quiet else _log
    )
    if timeout is not None:
        signal.setitimer(signal.ITIMER_REAL, max(timeout / 1e9, 1e-6))
    number, sink = tail(sources, scheduler, render, 1, follow, readiness.announce)
    if number is not None:  # the second signal ends at once, whatever is still to be written
        for each in ending:
            signal.signal(each, signal.SIG_DFL)
    sink.flush()
    if number == signal.SIGALRM:
        refuse("gave up: the time limit passed before all sources ended", Exit.TIMEOUT)
    return Exit.OK if number is None else by_signal(number)


def _tail_handles(
    files: list[str], *, quiet: bool, follow: bool, timeout: int | None, ready_fd: int | None, json: bool
) -> int:
    """On Windows: files, named pipes and standard input, on a completion port."""
    from toolkit.scheduler.handle_source import CannotRead, HandleSource
    from toolkit.scheduler.standard_input import standard_input
    from toolkit.scheduler.windows_tail import TIME_LIMIT, tail_handles

    readiness = Readiness(ready_fd)
    sources: list[HandleSource] = []
    try:
        sources.extend(standard_input() if name == "-" else HandleSource.open(name) for name in files)
    except CannotRead as error:
        refuse(str(error))
    render = _as_json if json else _plain if len(files) == 1 else _with_name

    def write(name: str, lines: list[bytes]) -> None:
        sys.stdout.buffer.write(b"".join(render(name, line) for line in lines))
        sys.stdout.flush()

    log = (lambda _line: None) if quiet else _log
    seconds = None if timeout is None else timeout / 1e9
    number = tail_handles(sources, write, log, seconds, readiness.announce, follow)
    if number == TIME_LIMIT:
        refuse("gave up: the time limit passed before all sources ended", Exit.TIMEOUT)
    return Exit.OK if number is None else by_signal(number)


def _log(line: str) -> None:
    typer.echo(line, err=True)


def _plain(_name: str, line: bytes) -> bytes:
    return line + b"\n"


def _with_name(name: str, line: bytes) -> bytes:
    return b"%s: %s\n" % (name.encode(errors="surrogateescape"), line)


def _as_json(name: str, line: bytes) -> bytes:
    from toolkit.report.jsonl import to_line

    return to_line({"type": "event", "target": name, "line": line.decode(errors="replace")}).encode() + b"\n"
