"""Compares a run with a saved one, each by its ratio to the calibration loop of its own machine."""

import json
from collections.abc import Iterable
from typing import Any

from toolkit.stress.result import StressResult, Threshold


class BaselineError(ValueError):
    """The file cannot serve as a baseline for this run; the message says why."""


def read(lines: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The `stress` records of JSON Lines, by name.

    Raises:
        BaselineError: not JSON Lines, or no such record.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise BaselineError(f"line {number} is not JSON: {error}") from error
        if isinstance(record, dict) and record.get("type") == "stress":
            found.setdefault(str(record.get("name")), []).append(record)
    if not found:
        raise BaselineError("it holds no stress record; make one with `evkit eventfd stress --json > FILE`")
    return found


def compare(result: StressResult, saved: dict[str, list[dict[str, Any]]], max_regression: float) -> Threshold:
    """A Threshold on the loss of rate against the last saved record with the same name and parameters.

    `max_regression` and `observed` are shares: 0.1 is 10 % slower, below 0 is faster.

    Raises:
        BaselineError: no such record, or it was made without a calibration.
    """
    records = saved.get(result.name, [])
    if not records:
        raise BaselineError(f"it holds no record of {result.name}, only of {', '.join(sorted(saved))}")
    fitting = [record for record in records if record.get("params") == result.params]
    if not fitting:
        raise BaselineError(f"its record of {result.name} has other parameters: {_difference(records[-1], result)}")
    old = fitting[-1]
    if not old.get("calibration_per_s") or not old.get("ops_per_s") or not result.calibration_per_s:
        raise BaselineError(f"its record of {result.name} has no rate or no calibration to compare with")
    then = old["ops_per_s"] / old["calibration_per_s"]
    now = result.ops_per_s / result.calibration_per_s
    loss = round(1 - now / then, 4)
    ok = loss <= max_regression
    reason = f"{now:.3f} of the calibration loop, was {then:.3f}"
    return Threshold("max-regression", ok, max_regression, loss, None if ok else round(loss - max_regression, 4), reason)


def _difference(record: dict[str, Any], result: StressResult) -> str:
    theirs = record.get("params", {})
    names = sorted(name for name in {*theirs, *result.params} if theirs.get(name) != result.params.get(name))
    return ", ".join(f"{name} {theirs.get(name)} there, {result.params.get(name)} here" for name in names)
