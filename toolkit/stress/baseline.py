"""Compares a run with a saved one, each by its ratio to the calibration loop of its own machine."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from toolkit.stress.result import StressResult, Threshold


class BaselineError(ValueError):
    """The file cannot serve as a baseline for this run; the message says why."""


@dataclass(frozen=True)
class Baseline:
    """Saved `stress` records by name, and how much slower than them is accepted (0.1: 10 %)."""

    records: Mapping[str, list[dict[str, Any]]]
    max_regression: float

    @classmethod
    def read(cls, lines: Iterable[str], max_regression: float) -> "Baseline":
        """From JSON Lines, as `--json` writes them.

        Raises:
            BaselineError: not JSON Lines, or no stress record among them.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, parse_constant=_refuse_constant)
            except (ValueError, RecursionError) as error:
                raise BaselineError(f"line {number} is not JSON: {error}") from error
            if isinstance(record, dict) and record.get("type") == "stress":
                if not isinstance(record.get("params", {}), dict):
                    raise BaselineError(f"line {number} has params that are no object")
                found.setdefault(str(record.get("name")), []).append(record)
        if not found:
            raise BaselineError(
                "it holds no stress record; make one with `evkit eventfd stress --json > FILE`"
            )
        return cls(found, max_regression)

    def share_of(self, name: str, params: Mapping[str, Any]) -> float:
        """The rate over the calibration's in the last saved record with that name and those parameters.

        Raises:
            BaselineError: no such record, or it was made without a calibration.
        """
        saved = self.records.get(name, [])
        if not saved:
            raise BaselineError(f"it holds no record of {name}, only of {', '.join(sorted(self.records))}")
        fitting = [record for record in saved if record.get("params") == params]
        if not fitting:
            raise BaselineError(f"its record of {name} differs: {_difference(saved[-1], params)}")
        rate, calibration = (_positive(fitting[-1].get(key)) for key in ("ops_per_s", "calibration_per_s"))
        if rate is None or calibration is None:
            raise BaselineError(f"its record of {name} has no rate or no calibration to compare with")
        return rate / calibration

    def compare(self, result: StressResult) -> Threshold:
        """A Threshold on the loss of rate against `share_of` that run.

        `observed` is a share: 0.1 is 10 % slower, below 0 is faster.

        Raises:
            BaselineError: as `share_of`, or it ran without a calibration.
        """
        then = self.share_of(result.name, result.params)
        if not result.calibration_per_s:
            raise BaselineError(f"{result.name} ran without a calibration to compare with")
        now = result.ops_per_s / result.calibration_per_s
        loss = round(1 - now / then, 4)
        return Threshold(
            name="max-regression",
            ok=loss <= self.max_regression,
            limit=self.max_regression,
            observed=loss,
            missed_by=round(loss - self.max_regression, 4) if loss > self.max_regression else None,
            reason=f"{now:.3f} of the calibration loop, was {then:.3f}",
        )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _positive(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and 0 < value < 1e300 else None


def _difference(record: dict[str, Any], params: Mapping[str, Any]) -> str:
    theirs = record.get("params", {})
    names = sorted(name for name in {*theirs, *params} if theirs.get(name) != params.get(name))
    return ", ".join(f"{name} {theirs.get(name)} there, {params.get(name)} here" for name in names)
