"""`evkit case run`."""

import os
import sys
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.case.selection import Patterns, Primitive, chosen, columns_unless_piped
from toolkit.cli.colour import Paint
from toolkit.cli.options import Json
from toolkit.cli.quantities import count, some_time_ns
from toolkit.cli.refusal import refuse

if TYPE_CHECKING:
    from toolkit.engine import Plan
    from toolkit.known.lists import KnownList
    from toolkit.report.human import Look

app = new_app()


class Format(str, Enum):
    """How results are written."""

    HUMAN = "human"
    JSONL = "jsonl"
    TAP = "tap"
    JUNIT = "junit"


class Variant(str, Enum):
    """The variants of a hazard."""

    NAIVE = "naive"
    RIGHT = "right"


@dataclass(frozen=True)
class Share:
    """One of `of` shares, counted from 1. Not a tuple: typer would ask for two words on the command line."""

    index: int
    of: int


def share(text: str) -> Share:
    """`2/5` as a Share.

    Raises:
        BadParameter: it is no such fraction.
    """
    index, slash, of = text.partition("/")
    if not (slash and index.isdecimal() and of.isdecimal() and 1 <= int(index) <= int(of)):
        raise typer.BadParameter(f"{text!r} is no share; write I/N with I from 1 to N, such as 2/5")
    return Share(int(index), int(of))


_Format = Annotated[
    Format | None, typer.Option("--format", help="How results are written; human by default.")
]
_File = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Where results go; - is stdout.")]
_Jobs = Annotated[
    int, typer.Option("-j", "--jobs", metavar="N", min=1, max=256, help="Cases at the same time.")
]
_Timeout = Annotated[
    int,
    typer.Option(
        "--timeout", parser=some_time_ns, metavar="TIME", help="For each variant; then it is killed."
    ),
]
_Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, max=2**53 - 1, help="Repeats a run's random choices."),
]
_Repeat = Annotated[
    int | None, typer.Option("--repeat", parser=count, metavar="N", help="Run all of them this many times.")
]
_UntilFail = Annotated[
    bool, typer.Option("--until-fail", help="Stop after the first that does not pass; repeats until then.")
]
_Shard = Annotated[
    Share | None,
    typer.Option("--shard", parser=share, metavar="I/N", help="Only the Ith of N shares of the cases."),
]
_Trace = Annotated[bool, typer.Option("--trace", help="Show every call, as strace would.")]
_Variant = Annotated[Variant | None, typer.Option("--variant", help="Only this variant of each hazard.")]
_Known = Annotated[
    str | None,
    typer.Option(
        "--known", metavar="FILE|NAME", help="A list of known differences: only another outcome fails."
    ),
]


@app.command(
    epilog=examples(
        "evkit case run 'eventfd/*'",
        "evkit case run epoll/fd-reuse --trace",
        "evkit case run -j 2 --format tap 'eventfd/s*'",
    )
)
def run(
    pattern: Patterns = None,
    primitive: Primitive = None,
    format: _Format = None,
    output: _File = "-",
    jobs: _Jobs = 1,
    timeout: _Timeout = "10s",  # type: ignore[assignment]  # what the parser reads
    seed: _Seed = None,
    repeat: _Repeat = None,
    until_fail: _UntilFail = False,
    shard: _Shard = None,
    trace: _Trace = False,
    variant: _Variant = None,
    known: _Known = None,
    json: Json = False,
) -> int:
    """Run cases, each variant in a process of its own, and say whether what happened is what is documented.

    Status 0: all passed, some may be skipped; 1: something differed; 77: all were skipped; 99: a case broke;
    124: one took too long; 2: the selection or an option is wrong.
    """
    from toolkit.cli.case.running import Destination, run_plan
    from toolkit.engine import Plan

    if json and format not in (None, Format.JSONL):
        refuse(f"--json means --format jsonl, not {format.value}; give one of the two")
    if repeat == 0:
        refuse("--repeat 0 runs nothing; give 1 or more")
    listed = None if known is None else known_list(known)
    plan = Plan(
        cases=tuple(chosen(pattern, primitive)),
        repeat=repeat or (None if until_fail else 1),
        slots=jobs,
        timeout_s=timeout / 1e9,
        seed=int.from_bytes(os.urandom(4), "big") if seed is None else seed,
        trace=trace,
        variant=variant and variant.value,
        until_fail=until_fail,
    )
    if shard is not None:
        plan = plan.shard(shard.index, shard.of)
    chosen_format = Format.JSONL if json else format or Format.HUMAN
    return run_plan(plan, listed, Destination(chosen_format.value, output), look_of(plan, output))


def known_list(file_or_name: str) -> "KnownList":
    """The list, every line of it sound; refuses (status 2) otherwise."""
    from toolkit.engine.registry import all_ids
    from toolkit.known.lists import ListError, check_subjects, load

    try:
        found = load(file_or_name)
        check_subjects(found, all_ids())
    except ListError as error:
        refuse(str(error))
    return found


def look_of(plan: "Plan", output: str) -> "Look":
    """How results look to people: all checks when one case alone was asked for."""
    from toolkit.report.human import Look

    ids = [len(case.id) for case in plan.cases]
    return Look(
        width=columns_unless_piped(),
        paint=Paint(sys.stdout if output == "-" else None),
        id_width=max(ids, default=0) + (len(" (iteration 100)") if plan.repeat != 1 else 0),
        titles={case.id: case.story.title for case in plan.cases},
        details=len(ids) == 1 and plan.repeat == 1,
    )
