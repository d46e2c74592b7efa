"""`evkit bench`: our bindings beside C, the standard library, ctypes and installed peers, in one run."""

import sys
from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json
from toolkit.cli.quantities import count, duration_ns
from toolkit.exits import Exit

app = new_app()


@app.command(epilog=examples("evkit bench --list", "evkit bench exit --rounds 3"))
def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Works (write-read, 'ctl-*') or peers (stress-ng, perf); all works. Or exit: from signal to exit.",
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option(parser=count, metavar="N", help="Rounds in which all take turns.")
    ] = 7,
    turn: Annotated[
        int,
        typer.Option(
            parser=duration_ns, metavar="TIME", help="About how long a turn is.", show_default="20ms"
        ),
    ] = 20_000_000,
    peers: Annotated[
        bool, typer.Option("--peers", help="Also stress-ng and perf bench, 1s a turn, 3 rounds.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List works and peers and end.")] = False,
    as_json: Json = False,
) -> Exit:
    """Does the same work with everybody who can, interleaved, and prints medians, spreads and ratios."""
    platform: str = sys.platform  # a plain str, so that type checkers read on
    if platform == "win32":
        from toolkit.cli import bench_windows

        chosen = bench_windows.select(names or [])
        if listing:
            return bench_windows.list_works(chosen, as_json)
        return bench_windows.run(chosen, rounds, turn, as_json)
    if names == ["exit"]:
        from toolkit.cli import bench_exit

        return bench_exit.run(rounds, as_json)
    from toolkit.cli import bench_run

    works, programs = bench_run.select(names or [], peers)
    if listing:
        return bench_run.list_all(works, programs, as_json)
    bench_run.refuse_absurd(rounds, turn)
    return bench_run.run(works, programs, rounds, turn, as_json)
