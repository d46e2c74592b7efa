"""`evkit serve`."""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json, ReadyFd
from toolkit.cli.output import Output
from toolkit.cli.quantities import at_least_one, count, duration_ns, some_connections, some_time_ns
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.servers.figures import ServerFigures
    from toolkit.servers.options import ServeOptions

app = new_app()


class Model(str, Enum):
    """The models of `toolkit.servers.options`, which costs too much to import for `--help`."""

    HALF_SYNC = "half-sync"
    HALF_REACTOR = "half-reactor"
    REACTOR = "reactor"
    LEADER_FOLLOWER = "leader-follower"
    REUSEPORT = "reuseport"
    EXCLUSIVE = "exclusive"
    POOL = "pool"


class ExitBy(str, Enum):
    """How the main loop learns of the exit signal."""

    SIGNALFD = "signalfd"
    SELF_PIPE = "self-pipe"


class Send(str, Enum):
    """How a pool's worker sends the file."""

    SENDFILE = "sendfile"
    MMAP = "mmap"
    SPLICE = "splice"


class StopBy(str, Enum):
    """What a pool does with transfers under way."""

    GRACEFUL = "graceful"
    ABRUPT = "abrupt"


class WhenFull(str, Enum):
    """What to do with a client for whom the queue has no room."""

    REJECT = "reject"
    PAUSE = "pause"
    SHED = "shed"


class Dispatch(str, Enum):
    """How accepted connections reach the workers."""

    SHARED = "shared"
    ROUND_ROBIN = "round-robin"
    LEAST_LOADED = "least-loaded"
    STEAL = "steal"


Parser = Callable[[str | int], int]


def _time(flag: str, help: str, default: str | bool = True, parser: Parser = some_time_ns) -> object:
    return typer.Option(flag, parser=parser, metavar="TIME", help=help, show_default=default)


def _number(flag: str, help: str, parser: Parser = count) -> object:
    return typer.Option(flag, parser=parser, metavar="N", help=help)


@app.command(
    epilog=examples(
        "evkit serve half-sync --port 0 --duration 500ms",
        "evkit serve half-sync --port 0 --when-full reject --queue-limit 64 --work-ms 50 --duration 500ms --json",
    )
)
def serve(
    model: Annotated[
        Model | None, typer.Argument(metavar="MODEL", help=f"One of {', '.join(m.value for m in Model)}.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; only loopback unless you say otherwise.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8080,
    workers: Annotated[
        int | None,
        _number(
            "--workers", "Worker threads; 4, but with --compare as many as there are CPUs.", at_least_one
        ),
    ] = None,
    processes: Annotated[int, _number("--processes", "Worker processes instead (reuseport, exclusive).")] = 0,
    queue_limit: Annotated[
        int, _number("--queue-limit", "The most connections that wait for a worker.", at_least_one)
    ] = 1024,
    low_water: Annotated[
        int | None, _number("--low-water", "Where a paused listener goes on; half the limit without it.")
    ] = None,
    when_full: Annotated[
        WhenFull, typer.Option("--when-full", help="503 at once, stop accepting, or 503 by a fast path.")
    ] = WhenFull.PAUSE,
    dispatch: Annotated[
        Dispatch, typer.Option("--dispatch", help="One queue for all, or one each.")
    ] = Dispatch.SHARED,
    idle_timeout: Annotated[int, _time("--idle-timeout", "For a silent client.", "1m")] = 60_000_000_000,
    work_ms: Annotated[int, _number("--work-ms", "Milliseconds a worker sleeps for each request.")] = 0,
    slow_workers: Annotated[
        int, _number("--slow-workers", "So many workers are slower than the others.")
    ] = 0,
    slow_ms: Annotated[int, _number("--slow-ms", "By how many milliseconds a request.")] = 0,
    body_size: Annotated[int, _number("--body-size", "Bytes of the answer to /.")] = 13,
    keep_alive: Annotated[
        bool, typer.Option("--keep-alive/--no-keep-alive", help="Several requests a connection.")
    ] = True,
    drain_timeout: Annotated[
        int, _time("--drain-timeout", "After the exit signal, for what is in hand.", "10s", duration_ns)
    ] = 10_000_000_000,
    stats_every: Annotated[
        int | None, _time("--stats-every", "Live figures; with --json a record each.")
    ] = None,
    duration: Annotated[
        int | None, _time("--duration", "End gracefully by itself; --compare: a turn.")
    ] = None,
    check_owner: Annotated[
        bool, typer.Option("--check-owner", help="Debug mode: assert that only the owner closes.")
    ] = False,
    exit_by: Annotated[
        ExitBy, typer.Option("--exit-by", help="How the main loop learns of the exit signal.")
    ] = ExitBy.SIGNALFD,
    file: Annotated[str, typer.Option("--file", metavar="F", help="pool: what every client gets.")] = "",
    send: Annotated[Send, typer.Option("--send", help="pool: how it is sent.")] = Send.SENDFILE,
    stop: Annotated[
        StopBy, typer.Option("--stop", help="pool: finish transfers under way, or cut them.")
    ] = StopBy.GRACEFUL,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="All models beside C, asyncio and uvloop; with half-sync, its dispatch policies.",
        ),
    ] = False,
    rounds: Annotated[
        int, _number("--rounds", "--compare: rounds in which all take turns.", at_least_one)
    ] = 3,
    distinct: Annotated[
        bool,
        typer.Option("--distinct", help="--compare: no two requests are the same, so that all are parsed."),
    ] = False,
    connections: Annotated[
        int, _number("--connections", "--compare: connections of the load.", some_connections)
    ] = 64,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> int:
    """Serve HTTP by one of the classic models, and say what became of every connection and request.

    Ctrl-C or SIGTERM ends it gracefully: what has begun is answered. A second one ends it at once.
    pool sends --file to whoever connects; the others speak HTTP. GET / gives --body-size bytes, /echo/TEXT the
    text, /peer your address; a body is counted.
    """
    import gc
    import sys

    from toolkit.report.context import usable_cpus
    from toolkit.report.live_line import LiveLine
    from toolkit.servers.listener import CannotListen
    from toolkit.servers.options import ServeOptions
    from toolkit.servers.process_workers import WorkersKeepDyingError
    from toolkit.servers.requests import ParserMissingError
    from toolkit.servers.serving import serve
    from toolkit.servers.text import live_line, table

    if workers is None:
        workers = usable_cpus() if compare and model is None else 4
    options = ServeOptions(
        model.value if model is not None else "reactor", host, port, workers, processes, queue_limit, low_water,
        when_full.value, dispatch.value, idle_timeout, work_ms * 1_000_000, slow_workers, slow_ms * 1_000_000,
        body_size, keep_alive, drain_timeout, stats_every or 1_000_000_000, check_owner, exit_by.value, file,
        send.value, stop.value,
    )  # fmt: skip
    complaint = options.complaint()
    if complaint is not None:
        refuse(complaint)
    if compare:
        if model not in (None, Model.HALF_SYNC):
            refuse("--compare takes no MODEL (all of them), or half-sync (its dispatch policies)")
        return _compare(options, connections, duration, rounds, distinct, model is not None, json)
    if model is None:
        refuse(f"missing MODEL: one of {', '.join(m.value for m in Model)}")
    gc.enable()  # off since start-up; a server lives long
    readiness = Readiness(ready_fd)
    output = Output(json)

    def when_listening(figures: "ServerFigures") -> None:
        host = f"[{figures.host}]" if ":" in figures.host else figures.host
        output.result(figures, f"listening on http://{host}:{figures.port}")
        readiness.announce()
        if duration is not None:
            _end_after(duration)

    def when_due(figures: "ServerFigures") -> None:
        if json and stats_every is not None:
            output.result(figures, "")
        else:
            line.draw(live_line(figures))

    line = LiveLine(sys.stderr)
    try:
        with line:
            figures = serve(options, when_listening, when_due)
    except FileNotFoundError as error:
        refuse(f"{error.filename}: {error.strerror}")
    except (CannotListen, ParserMissingError) as error:
        refuse(str(error))
    except WorkersKeepDyingError as error:
        refuse(str(error), Exit.HARNESS)
    output.result(figures, table(figures))
    return Exit.OK if figures.ledgers_hold else Exit.DIFFERED


def _compare(
    options: "ServeOptions",
    connections: int,
    duration_ns: int | None,
    rounds: int,
    distinct: bool,
    only_dispatch: bool,
    json: bool,
) -> int:
    # not above: a server need not wait for what only a comparison needs
    from toolkit.cli import serve_compare
    from toolkit.servers.comparison import ComparisonPlan

    once = 1 if only_dispatch else None
    plan = ComparisonPlan(connections, duration_ns or 1_000_000_000, rounds, once, distinct)
    return serve_compare.run(options, plan, only_dispatch, json)


def _end_after(duration_ns: int) -> None:
    """SIGTERM to this process, as an operator would send it."""
    import os
    import signal
    import threading

    timer = threading.Timer(duration_ns / 1e9, os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True
    timer.start()
