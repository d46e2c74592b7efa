"""`evkit signalfd queue`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.cli.quantities import count
from toolkit.cli.refusal import refuse
from toolkit.cli.signalfd.numbers import parse_signals
from toolkit.exits import Exit

app = new_app()


def _value(text: str | int) -> int:
    if isinstance(text, int):
        return text
    try:
        value = int(text, 0)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None
    if not -(2**63) <= value < 2**64:
        raise typer.BadParameter(f"{text} does not fit 64 bits")
    return value


@app.command(
    epilog=examples(
        "evkit signalfd watch USR1 -- sh -c 'evkit signalfd queue $PPID USR1 --value 42'",
        "evkit signalfd watch RTMIN -- sh -c 'evkit signalfd queue $PPID RTMIN --value 7 --times 3'",
    )
)
def queue(
    pid: Annotated[int, typer.Argument(metavar="PID", help="The process that gets it.")],
    name: Annotated[str, typer.Argument(metavar="SIG", help="USR1, SIGUSR1, RTMIN+3, 10.")],
    value: Annotated[
        int,
        typer.Option(parser=_value, metavar="N", help="A 64-bit word that travels with it: 42, -1, 0x10."),
    ] = 0,
    times: Annotated[int, typer.Option(parser=count, metavar="N", help="How often.")] = 1,
    json: Json = False,
) -> Exit:
    """Send a signal with a value (sigqueue(3)).

    Standard signals coalesce: sent three times while blocked, they arrive once. Real-time signals queue.
    """
    from toolkit.ffi.siginfo import signal_name
    from toolkit.primitives.signalfd import sigqueue

    if times == 0:
        refuse("--times 0 sends nothing; the least is 1")
    if pid <= 0:
        refuse(f"{pid} is not a process: sigqueue(3) takes no process groups")
    [number] = parse_signals([name])
    for sent in range(times):
        try:
            sigqueue(pid, number, value)
        except (ProcessLookupError, OverflowError):  # or more than a pid_t
            refuse(
                f"no process has the number {pid}" + (f" any more; it got {sent} of {times}" if sent else "")
            )
        except PermissionError:
            refuse(f"not permitted to send {signal_name(number)} to process {pid}")
        except BlockingIOError:
            refuse(f"sent {sent} of {times}: the receiving user's RLIMIT_SIGPENDING is full", Exit.DIFFERED)
    Output(json).result(
        {
            "type": "event",
            "primitive": "signalfd",
            "operation": "queue",
            "pid": pid,
            "signal": signal_name(number),
            "value": hex(value & (2**64 - 1)),
            "times": times,
        },
        None,
    )
    return Exit.OK
