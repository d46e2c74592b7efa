"""Runs a plan and writes what comes of it, whole, also when it is interrupted."""

import sys
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from time import monotonic_ns

from toolkit.cli.refusal import refuse
from toolkit.cli.signals import EndedBySignal, held, raise_if_arrived
from toolkit.engine import Plan
from toolkit.engine import run as results_of
from toolkit.exits import Exit
from toolkit.known.compare import compare
from toolkit.known.lists import KnownList
from toolkit.records import CaseResult, Summary
from toolkit.report.context import describe_run
from toolkit.report.formats import new_writer, results_to
from toolkit.report.human import Look, summary_line
from toolkit.report.live_line import LiveLine
from toolkit.report.tally import Tally
from toolkit.report.writer import CaseWriter


@dataclass(frozen=True)
class Destination:
    """In which format results are written, and to which file (`-`: stdout)."""

    format: str
    file: str


def run_plan(plan: Plan, known: KnownList | None, destination: Destination, look: Look) -> int:
    """Runs it all; the exit status. Refuses a file that cannot be written before any case runs.

    Raises:
        EndedBySignal: the run was interrupted; what was gathered has been written.
    """
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(results_to(destination.file))
        except OSError as error:
            refuse(
                f"cannot write {destination.file!r} ({error.strerror}); give -o another file, or - for stdout"
            )
        writer = new_writer(destination.format, stream, look)
        summary, ended = _run(plan, known, writer)
    _tell(summary, destination)
    if ended is not None:
        raise ended
    return summary.exit_code


def _run(plan: Plan, known: KnownList | None, writer: CaseWriter) -> tuple[Summary, EndedBySignal | None]:
    line, done = LiveLine(sys.stderr), 0
    of_all = "" if plan.repeat is None else f"/{plan.repeat * len(plan.cases)}"
    tally, started, ended = Tally(known is not None), monotonic_ns(), None
    try:
        with held():
            writer.start(describe_run(["evkit", *sys.argv[1:]], plan.seed))
            line.draw(f"{done}{of_all}")
        with closing(results_of(plan)) as results:
            for result in results:
                with held():
                    judged = _judged(result, known, plan)
                    tally.add(judged)
                    line.clear()
                    writer.case(judged)
                    done += 1
                    line.draw(f"{done}{of_all}  {result.id}")
                raise_if_arrived()
    except EndedBySignal as signal:
        ended = signal
    finally:
        line.clear()
    summary = tally.summary(monotonic_ns() - started, None if ended is None else ended.number)
    with held():
        writer.finish(summary)
    return summary, ended


def _judged(result: CaseResult, known: KnownList | None, plan: Plan) -> CaseResult:
    if known is None:
        return result
    return replace(result, known=compare(result, known, whole=plan.variant is None))


def _tell(summary: Summary, destination: Destination) -> None:
    """On a terminal, how it ended, where the results themselves do not say so there; and why 77."""
    if sys.stderr is None:
        return
    if summary.exit_code == Exit.LACKS:
        what = (
            "everything selected was skipped" if summary.cases else "there was no case to run in this share"
        )
        sys.stderr.write(f"evkit case run: {what}; `evkit doctor` shows what this platform lacks\n")
    elif sys.stderr.isatty() and (destination.format != "human" or destination.file != "-"):
        sys.stderr.write(f"{summary_line(summary)}\n")
