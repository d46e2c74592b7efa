"""What a run was asked for: the options that shaped it, the line that repeats it, and whether it did that much."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolkit.stress.plan import Plan
from toolkit.stress.result import Invariant

_SHORTEST: Final = 0.9  # of the planned time; less is a run that did not happen as asked


COMMON: Final = ("workers", "ops", "rate", "pin", "latency")


def params_of(plan: Plan, options: Iterable[str]) -> dict[str, Any]:
    """Of `options`, those that shaped the run, by name; those without limit are absent."""
    return {name: value for name in options if (value := getattr(plan, name)) is not None}


def repeat_line(name: str, plan: Plan, options: Iterable[str]) -> str:
    """The command that repeats the run of `name`, which is `primitive/stressor`."""
    primitive, _, own = name.partition("/")
    words = [f"evkit {primitive} stress {own} --seed {plan.seed}"]
    default = Plan(seed=plan.seed)
    for option, value in params_of(plan, options).items():
        if value is True:
            words.append(f"--{option}")
        elif value != getattr(default, option):
            words.append(f"--{option} {value}")
    unsaid = default.duration_ns if plan.ops is None else None
    if plan.duration_ns is not None and plan.duration_ns != unsaid:
        words.append(f"--duration {_as_written(plan.duration_ns)}")
    return " ".join(words)


def _as_written(duration_ns: int) -> str:
    """In the largest unit that leaves no fraction, as the option takes it."""
    units = (("m", 60 * 10**9), ("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))
    return next(f"{duration_ns // size}{unit}" for unit, size in units if duration_ns % size == 0)


def work_was_done(ops: int) -> Invariant:
    """No work at all is never a pass."""
    return Invariant("work-was-done", ops > 0, "at least 1 operation", ops)


def as_much_as_asked(plan: Plan, done: int, ran_ns: int) -> Iterator[Invariant]:
    """Of a run that nothing cut short: that it did all operations, or lasted as long as planned."""
    if plan.ops is not None:
        if plan.duration_ns is None:
            yield Invariant("all-operations-done", done >= plan.ops, plan.ops, done)
    elif plan.duration_ns is not None:
        least = int(plan.duration_ns * _SHORTEST)
        yield Invariant("ran-as-long-as-planned", ran_ns >= least, f"at least {least} ns", f"{ran_ns} ns")
