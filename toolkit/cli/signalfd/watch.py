"""`evkit signalfd watch`."""

import signal
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.execution import WithCommand, cannot_run, command_of
from toolkit.cli.options import Count, Json, ReadyFd, TimeoutNs
from toolkit.cli.output import Output
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.cli.signalfd.numbers import parse_watched
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.primitives.signalfd import SigInfo
    from toolkit.watch.deadline import Deadline
    from toolkit.watch.signals import ChildEnd

app = new_app()


@app.command(
    cls=WithCommand,
    epilog=examples(
        "evkit signalfd watch USR1 -- sh -c 'evkit signalfd queue $PPID USR1 --value 42'",
        "evkit signalfd watch CHLD -- sh -c 'true & wait; exit 0'",
    ),
)
def watch(
    context: typer.Context,
    signals: Annotated[list[str], typer.Argument(metavar="SIG...", help="USR1, SIGUSR1, RTMIN+3, 10.")],
    count: Count = None,
    timeout: TimeoutNs = None,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> int:
    """Block signals and print each that arrives, with its sender and its value.

    With -- CMD, CMD runs with the mask that this process was given, the ends of CMD and of its orphans are reported,
    and the watch ends with CMD's own status.
    """
    from toolkit.watch.deadline import Deadline

    command = command_of(context)
    if command is not None and count is not None:
        refuse("--count and -- CMD do not go together: with CMD, the watch ends when CMD does")
    numbers = parse_watched(signals)
    readiness = Readiness(ready_fd)
    deadline = Deadline(timeout)
    if command is None:
        return _watch_alone(numbers, count, deadline, readiness, Output(json))
    return _watch_beside(numbers, command, deadline, readiness, Output(json))


def _watch_alone(
    numbers: list[int], count: int | None, deadline: "Deadline", readiness: Readiness, output: Output
) -> int:
    from toolkit.watch.signals import as_seen, watch

    seen = 0
    for info in watch(numbers, deadline, readiness.announce):
        output.result(as_seen(info), _signal_line(info))
        seen += 1
        if seen == count:
            return Exit.OK
    return refuse(f"gave up: the time limit passed after {seen} signals", Exit.TIMEOUT)


def _watch_beside(
    numbers: list[int], command: list[str], deadline: "Deadline", readiness: Readiness, output: Output
) -> int:
    from toolkit.watch.signals import ChildEnd, as_seen, watch_command

    status: int | None = None
    try:
        for seen in watch_command(numbers, command, deadline, readiness.announce):
            if isinstance(seen, ChildEnd):
                output.result(seen, _end_line(seen))
                status = seen.shell_status if seen.is_command else status
            else:
                output.result(as_seen(seen), _signal_line(seen))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        cannot_run(command[0], error)
    if status is None:
        refuse(f"gave up: the time limit passed before {command[0]} ended; it was sent SIGTERM", Exit.TIMEOUT)
    return status


def _signal_line(info: "SigInfo") -> str:
    line = f"{info.name:<12} {info.code_name:<12} pid={info.ssi_pid} uid={info.ssi_uid}"
    if info.ssi_signo == signal.SIGCHLD and info.ssi_code > 0:
        return f"{line} status={info.ssi_status}"
    if info.code_name != "SI_QUEUE":
        return line
    wide = "" if info.ssi_ptr in (info.ssi_int, info.ssi_int & (2**64 - 1)) else f" ({info.ssi_ptr:#x})"
    return f"{line} value={info.ssi_int}{wide}"


def _end_line(end: "ChildEnd") -> str:
    who = "command" if end.is_command else "orphan"
    how = f"exited with {end.status}" if end.signal is None else f"was ended by {end.signal}"
    return f"{who} {end.pid} {how}"
