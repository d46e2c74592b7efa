"""`evkit bench exit`: how long a loop goes on after its exit signal."""

from typing import TYPE_CHECKING

from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

if TYPE_CHECKING:
    from toolkit.scheduler.exit_delay import ExitDelay

_TICK_MS = 200
_COMMENT = """\
  waiting       the signal comes while the loop sleeps in its wait
  before-wait   it comes after the loop has looked for it and before it waits
  other-thread  another thread may take it, the loop's own may not
A flag costs its whole tick whenever nothing interrupts the wait, and always when the binding waits on after EINTR."""


def run(rounds: int, as_json: bool) -> Exit:
    """Measures every way in every situation and prints a line for each as it is known."""
    from toolkit.scheduler.exit_delay import measure

    if not 1 <= rounds <= 1000:
        refuse(f"--rounds {rounds} is out of range; it goes from 1 to 1000")
    output = Output(as_json)
    output.text(f"delay from signal to exit, {rounds} rounds each; the flag is tested every {_TICK_MS} ms")
    output.text(f"  {'way':<22}{'signal comes':<15}{'p50':>12}{'max':>12}   remarks")
    for delay in measure(rounds, _TICK_MS):
        output.result(delay, _line(delay))
    output.text(_COMMENT)
    return Exit.OK


def _line(delay: "ExitDelay") -> str:
    p50 = f"{delay.p50_ns / 1e3:.0f} us" if delay.p50_ns is not None else "-"
    longest = f"{delay.max_ns / 1e3:.0f} us" if delay.max_ns is not None else "-"
    remarks = []
    if delay.never:
        remarks.append("never: the signal's default action ended the process")
    if delay.missed and delay.tick_ns is not None:
        remarks.append(f"missed {delay.missed} of {delay.rounds}")
    return f"  {delay.name:<22}{delay.situation:<15}{p50:>12}{longest:>12}   {', '.join(remarks)}".rstrip()
