"""`evkit load`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json, ReadyFd
from toolkit.cli.output import Output
from toolkit.cli.quantities import at_least_one, count, duration_ns, some_connections, some_time_ns
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit, by_signal

app = new_app()


@app.command(
    epilog=examples(
        "evkit serve half-sync --port 0 --duration 4s >up &"
        " until grep -qs listening up || ! kill -0 $!; do sleep 0.1; done;"
        " evkit load $(sed -n 's,listening on http://,,p' up) --duration 500ms --max-errors 0; wait"
    )
)
def load(
    target: Annotated[str, typer.Argument(metavar="HOST:PORT", help="An HTTP server; [::1]:8080 for IPv6.")],
    connections: Annotated[
        int, typer.Option(parser=some_connections, metavar="N", help="Connections at the same time.")
    ] = 64,
    duration: Annotated[
        int, typer.Option(parser=some_time_ns, metavar="TIME", help="How long to ask.", show_default="5s")
    ] = 5_000_000_000,
    requests: Annotated[
        int | None, typer.Option(parser=at_least_one, metavar="N", help="End after this many requests.")
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option(
            parser=at_least_one,
            metavar="N",
            help="Open loop: N requests a second, latency from the intended start, so that a stall shows.",
        ),
    ] = None,
    per_connection: Annotated[
        int | None,
        typer.Option(
            "--per-connection",
            parser=at_least_one,
            metavar="N",
            help="Close each connection after N answers.",
        ),
    ] = None,
    settle: Annotated[
        int,
        typer.Option(
            parser=duration_ns, metavar="TIME", help="For what is in flight at the end.", show_default="5s"
        ),
    ] = 5_000_000_000,
    path: Annotated[str, typer.Option(metavar="PATH", help="What to ask for.")] = "/",
    check_echo: Annotated[
        bool,
        typer.Option(
            "--check-echo", help="Ask for /echo/TOKEN, each time another, and check whose came back."
        ),
    ] = False,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="A header of its own in each request: nothing to remember.")
    ] = False,
    remote: Annotated[bool, typer.Option("--remote", help="Allow an address that is not loopback.")] = False,
    min_rate: Annotated[
        int | None, typer.Option("--min-rate", parser=count, metavar="N", help="Fail below N requests/s.")
    ] = None,
    max_p99: Annotated[
        int | None, typer.Option("--max-p99", parser=duration_ns, metavar="TIME", help="Fail above this p99.")
    ] = None,
    max_p999: Annotated[
        int | None,
        typer.Option("--max-p999", parser=duration_ns, metavar="TIME", help="Fail above this p99.9."),
    ] = None,
    max_errors: Annotated[
        int | None, typer.Option("--max-errors", parser=count, metavar="N", help="Fail above N errors.")
    ] = None,
    ready_fd: ReadyFd = None,
    json: Json = False,
) -> int:
    """Ask an HTTP server again and again over many connections on one epoll, and say how it answers.

    A threshold that is missed, an answer to another's question, or no answer at all: status 1.
    """
    import signal
    import sys

    from toolkit.load.generator import Generator
    from toolkit.load.plan import LoadPlan
    from toolkit.load.text import live_line, table
    from toolkit.load.thresholds import Thresholds, misses
    from toolkit.report.live_line import LiveLine

    host, port = _target(target, remote)
    plan = LoadPlan(
        host, port, connections, duration, requests, rate, per_connection, path, check_echo, settle, distinct
    )
    generator = Generator(plan)
    caught: list[int] = []

    def end_soon(number: int, _frame: object) -> None:
        if caught:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        caught.append(number)
        generator.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_soon)
    with LiveLine(sys.stderr) as line:
        figures = generator.run(lambda live: line.draw(live_line(live)), Readiness(ready_fd).announce)
    Output(json).result(figures, table(figures))
    missed = list(misses(figures, Thresholds(min_rate, max_p99, max_p999, max_errors)))
    for miss in missed:
        typer.echo(f"evkit load: {miss}", err=True)
    if caught:
        return by_signal(caught[0])
    return Exit.DIFFERED if missed else Exit.OK


def _target(text: str, remote: bool) -> tuple[str, int]:
    """Host and port; refuses what is not loopback unless `remote`."""
    import socket
    from ipaddress import ip_address

    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536:
        refuse(f"{text!r} is not HOST:PORT; write 127.0.0.1:8080 or [::1]:8080")
    host = host.strip("[]")
    try:
        found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][4][0]
    except OSError as error:
        refuse(f"{host}: {error.strerror or error}")
    if not remote and not ip_address(str(found).partition("%")[0]).is_loopback:
        refuse(f"{host} is not loopback; if you may load that machine, say --remote")
    return host, int(port)
