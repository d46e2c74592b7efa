"""Runs stressors one after another and prints each: live line, result, thresholds, baseline, exit status."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.cli.output import Output
from toolkit.cli.refusal import refuse
from toolkit.cli.signals import EndedBySignal
from toolkit.exits import Exit, worst
from toolkit.report.live_line import LiveLine, write_or_lose
from toolkit.stress import registry, render
from toolkit.stress.baseline import Baseline, BaselineError
from toolkit.stress.plan import ORDERS, QUEUES, TRIGGERS, VARIANTS, Plan
from toolkit.stress.promised import COMMON, params_of
from toolkit.stress.result import StressResult
from toolkit.stress.thresholds import Limits, check

if TYPE_CHECKING:
    from toolkit.stress.glimpse import Glimpse, Progress

_MOST = {
    "workers": 4096,
    "maxevents": 1024,  # MAXEVENTS_LIMIT of the loops
    "entries": 1_000_000,
    "rate": 10**9,
    "ops": 10**15,
    "seed": 2**53 - 1,
}
_MOST_NS = 30 * 86_400 * 10**9
_LEAST_NS = 10**6


def select(primitive: str, patterns: list[str]) -> list[str]:
    """The stressors that match; refuses a pattern that matches nothing."""
    try:
        return registry.select(primitive, patterns)
    except ValueError as error:
        refuse(str(error))


def list_stressors(primitive: str, names: list[str], as_json: bool) -> Exit:
    """Each name with the first line of its story."""
    output = Output(as_json)
    for name, summary in registry.summaries(primitive):
        if name in names:
            record = {"type": "stressor", "name": f"{primitive}/{name}", "summary": summary}
            output.result(record, f"{name:<14}{summary}")
    return Exit.OK


def make_plan(**options: Any) -> Plan:  # noqa: ANN401  the fields of Plan, None where the default holds
    """A plan from options; refuses what no machine can do, and nothing to do."""
    for name, most in _MOST.items():
        value, least = options.get(name), 0 if name == "seed" else 1
        if value is not None and not least <= value <= most:
            refuse(f"--{name} {value} is out of range; it goes from {least} to {most}")
    duration = options["duration_ns"]
    if duration is not None and not _LEAST_NS <= duration <= _MOST_NS:
        why = (
            "nothing would be done, and zero work is never a pass"
            if duration < _LEAST_NS
            else "that never ends"
        )
        refuse(f"--duration is out of range ({why}); it goes from 1ms to 720h")
    for name, known in (("trigger", TRIGGERS), ("queue", QUEUES), ("order", ORDERS), ("variant", VARIANTS)):
        if options.get(name) is not None and options[name] not in known:
            refuse(f"--{name} {options[name]!r} is not one of {', '.join(known)}")
    if options["seed"] is None:
        import random

        options["seed"] = random.SystemRandom().randrange(2**31)
    if duration is None and options["ops"] is None:
        del options["duration_ns"]
        return Plan(**{name: value for name, value in options.items() if value is not None})
    kept = {name: value for name, value in options.items() if value is not None or name == "duration_ns"}
    return Plan(**kept)


def refuse_unused(primitive: str, names: list[str], given: Mapping[str, object]) -> None:
    """Refuses an option that was given and that none of the chosen stressors uses: it would change nothing."""
    asked = [option for option, value in given.items() if value is not None]
    if not asked:  # completion ports have none of these, nor what a stressor of Linux loads
        return
    used = {option for name in names for option in registry.load(primitive, name).options}
    for option in asked:
        if option not in used:
            users = [
                name for name in registry.names(primitive) if option in registry.load(primitive, name).options
            ]
            refuse(f"--{option} means nothing to {', '.join(names)}; it is for {', '.join(users)}")


def read_baseline(name: str | None, max_regression: float) -> Baseline | None:
    """The saved run; refuses a file that cannot be read or holds none."""
    if name is None:
        return None
    try:
        if name == "-":
            return Baseline.read(sys.stdin, max_regression)
        with open(name, encoding="utf-8") as lines:
            return Baseline.read(lines, max_regression)
    except (OSError, UnicodeDecodeError) as error:
        if Path(name).is_dir():  # Windows calls that a denied permission
            refuse(f"--baseline {name}: Is a directory")
        refuse(f"--baseline {name}: {getattr(error, 'strerror', None) or error}")
    except BaselineError as error:
        refuse(f"--baseline {name}: {error}")


def run_stressors(
    primitive: str,
    names: list[str],
    plan: Plan,
    limits: Limits,
    baseline: Baseline | None,
    progress: bool | None,
    as_json: bool,
) -> Exit:
    """The worst status of all. A signal ends the current one early, prints it, and raises EndedBySignal."""
    if baseline is not None:
        _refuse_unlike(baseline, primitive, names, plan)
    output = Output(as_json)
    if as_json:
        from toolkit.report.context import describe_run

        output.result(describe_run(sys.argv, plan.seed), "")
    show = sys.stderr is not None and (sys.stderr.isatty() if progress is None else progress)
    codes = []
    for name in names:
        result, signal_number = _run_one(primitive, name, plan, show)
        result = _judge(result, limits, baseline)
        output.result(result, render.describe(result))
        codes.append(Exit.HARNESS if result.error else Exit.OK if result.ok else Exit.DIFFERED)
        if signal_number:
            raise EndedBySignal(signal_number)
    return worst(codes)


def _refuse_unlike(baseline: Baseline, primitive: str, names: list[str], plan: Plan) -> None:
    """Refuses a baseline that lacks any of the runs to come: before them, since what they find must not be lost."""
    for name in names:
        options = COMMON if primitive == "iocp" else _options_in_c(primitive, name)
        try:
            baseline.share_of(f"{primitive}/{name}", params_of(plan, options))
        except BaselineError as error:
            refuse(f"--baseline: {error}")


def _run_one(primitive: str, name: str, plan: Plan, show: bool) -> tuple[StressResult, int]:
    with LiveLine(sys.stderr) as line:

        def tell(glimpse: "Glimpse") -> None:
            text = render.live_line(glimpse)
            if sys.stderr.isatty():
                line.draw(text)
            else:
                write_or_lose(sys.stderr, f"{text}\n")

        try:
            of_platform = _run_on_a_port if primitive == "iocp" else _run_in_c
            return of_platform(primitive, name, plan, tell if show else None)
        except ValueError as error:
            refuse(str(error))


def _options_in_c(primitive: str, name: str) -> tuple[str, ...]:
    from toolkit.stress.verdict import options_of

    return options_of(registry.load(primitive, name))


def _run_on_a_port(
    _primitive: str, name: str, plan: Plan, progress: "Progress | None"
) -> tuple[StressResult, int]:
    from toolkit.stress import windows_engine
    from toolkit.stress.windows_calibration import calibrate

    speed = calibrate()
    result, signal_number = windows_engine.run(name, plan, progress)
    return replace(result, calibration_per_s=round(speed, 1)), signal_number


def _run_in_c(primitive: str, name: str, plan: Plan, progress: "Progress | None") -> tuple[StressResult, int]:
    from toolkit.stress import engine
    from toolkit.stress.calibration import calibrate

    stressor = registry.load(primitive, name)
    if plan.processes and not stressor.processes:
        refuse(f"{name} cannot run with --processes: its workers share descriptors they make as they go")
    speed = calibrate()
    result, signal_number = engine.run(f"{primitive}/{name}", stressor, plan, progress)
    return replace(result, calibration_per_s=round(speed, 1)), signal_number


def _judge(result: StressResult, limits: Limits, baseline: Baseline | None) -> StressResult:
    thresholds = list(check(result, limits))
    if baseline is not None and result.error is None and not result.interrupted:
        thresholds.append(baseline.compare(result))
    return replace(result, thresholds=tuple(thresholds), ok=result.ok and all(each.ok for each in thresholds))
