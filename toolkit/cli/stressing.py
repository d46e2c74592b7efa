"""`evkit PRIMITIVE stress`: the same command for each primitive, with the options its stressors use."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json
from toolkit.cli.quantities import count, duration_ns
from toolkit.exits import Exit

_OF_FORK = ("processes",)
_OF_EPOLL = ("maxevents", "trigger", "queue", "order", "entries", "variant")


def share(text: str | float) -> float:
    """0.1 in `10%` or `0.1`; a number is an option's default and stays.

    Raises:
        BadParameter: no number, or below 0.
    """
    if isinstance(text, float):
        return text
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise typer.BadParameter(f"{text!r} is not a share; write 10% or 0.1")
    return value


def _count(metavar: str, help: str) -> Any:  # noqa: ANN401  typer's own type is private
    return typer.Option(parser=count, metavar=metavar, help=help)


def _time(help: str) -> Any:  # noqa: ANN401  typer's own type is private
    return typer.Option(parser=duration_ns, metavar="TIME", help=help)


def _share(help: str) -> Any:  # noqa: ANN401  typer's own type is private
    return typer.Option(parser=share, metavar="SHARE", help=help)


def _word(metavar: str, help: str) -> Any:  # noqa: ANN401  typer's own type is private
    return typer.Option(metavar=metavar, help=help)


Names = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", help="Stressors by name or glob; all without one.")
]


def stress_app(primitive: str, example: str) -> typer.Typer:
    """The app of `evkit PRIMITIVE stress`; options that no stressor of `primitive` uses are left out."""

    def stress(
        names: Names = None,
        workers: Annotated[int, _count("N", "How many workers.")] = 2,
        duration: Annotated[int | None, _time("How long each runs; 5s without --ops.")] = None,
        ops: Annotated[int | None, _count("N", "End after so many operations, such as 100k.")] = None,
        rate: Annotated[int | None, _count("N", "Operations a second, all workers together.")] = None,
        seed: Annotated[int | None, _word("N", "Repeats the choices of an earlier run.")] = None,
        pin: Annotated[str, _word("none|same|spread|LIST", "Which CPUs the workers run on.")] = "none",
        latency: Annotated[
            bool, typer.Option("--latency", help="Time every operation, not 1 in 64.")
        ] = False,
        processes: Annotated[bool, typer.Option("--processes", help="Workers are processes.")] = False,
        maxevents: Annotated[int | None, _count("N", "Events that one wait may return (64).")] = None,
        trigger: Annotated[
            str | None, _word("lt|et|oneshot|exclusive", "How waiters are woken (lt).")
        ] = None,
        queue: Annotated[str | None, _word("shared|per-worker", "One epoll instance, or one each.")] = None,
        order: Annotated[
            str | None, _word("random|round", "ADD, MOD and DEL at random, or in turns.")
        ] = None,
        entries: Annotated[int | None, _count("N", "Descriptors registered.")] = None,
        variant: Annotated[str | None, _word("naive|right|both", "Which side of a hazard runs.")] = None,
        min_rate: Annotated[int | None, _count("N", "Fail below so many operations a second.")] = None,
        max_p99: Annotated[int | None, _time("Fail when p99 is longer.")] = None,
        max_p999: Annotated[int | None, _time("Fail when p99.9 is longer.")] = None,
        max_spread: Annotated[
            float | None, _share("Fail when (most - least) / most of the workers' shares is more.")
        ] = None,
        baseline: Annotated[str | None, _word("FILE", "Compare with a saved --json run; - is stdin.")] = None,
        max_regression: Annotated[float, _share("How much slower than --baseline is accepted.")] = 0.1,
        progress: Annotated[
            bool | None,
            typer.Option("--progress/--no-progress", help="A live line on stderr; a terminal has it."),
        ] = None,
        listing: Annotated[bool, typer.Option("--list", help="List the stressors and end.")] = False,
        as_json: Json = False,
    ) -> Exit:
        from toolkit.cli import stress_run
        from toolkit.stress.thresholds import Limits

        chosen = stress_run.select(primitive, names or [])
        if listing:
            return stress_run.list_stressors(primitive, chosen, as_json)
        plan = stress_run.make_plan(
            seed=seed,
            workers=workers,
            duration_ns=duration,
            ops=ops,
            rate=rate,
            pin=pin,
            latency=latency,
            processes=processes,
            maxevents=maxevents,
            trigger=trigger,
            queue=queue,
            order=order,
            entries=entries,
            variant=variant,
        )
        own = {
            "maxevents": maxevents,
            "trigger": trigger,
            "queue": queue,
            "order": order,
            "entries": entries,
            "variant": variant,
        }
        stress_run.refuse_unused(primitive, chosen, own)
        saved = stress_run.read_baseline(baseline, max_regression)
        limits = Limits(min_rate, max_p99, max_p999, max_spread)
        return stress_run.run_stressors(primitive, chosen, plan, limits, saved, progress, as_json)

    speed = "from many threads" if primitive == "iocp" else "at the speed of C"
    stress.__doc__ = f"Loads {primitive} {speed} and verifies that nothing is lost, doubled or misdelivered."
    if primitive != "epoll":
        _leave_out(stress, _OF_EPOLL)
    if primitive == "iocp":
        _leave_out(stress, _OF_FORK)
    app = new_app()
    app.command(epilog=examples(example))(stress)
    return app


def _leave_out(function: Callable[..., Exit], names: tuple[str, ...]) -> None:
    """Hides parameters from typer, which reads the signature; their defaults hold."""
    signature = inspect.signature(function)
    kept = [parameter for name, parameter in signature.parameters.items() if name not in names]
    vars(function)["__signature__"] = signature.replace(parameters=kept)  # PEP 362
