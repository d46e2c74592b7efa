"""From checks to the status of a variant, and from variants to the status of a case."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.engine.plan import Job
from toolkit.records import CaseResult, Check, Kind, Status, TraceLine, VariantResult


@dataclass(frozen=True)
class Outcome:
    """One variant, run once."""

    variant: str | None
    status: Status
    reason: str | None
    duration_ns: int
    checks: tuple[Check, ...] = ()
    trace: tuple[str, ...] = ()


def judge(checks: Sequence[Check]) -> tuple[Status, str | None]:
    """The status that the checks of a variant amount to. No deciding check is no verdict."""
    deciding = [check for check in checks if check.kind is Kind.MUST]
    if not deciding:
        return Status.ERROR, "it made no check that decides"
    failed = [check.claim for check in deciding if check.status is Status.FAIL]
    if failed:
        return Status.FAIL, f"differs: {', '.join(dict.fromkeys(failed))}"
    if all(check.status is Status.SKIP for check in deciding):
        return Status.SKIP, deciding[0].reason
    return Status.PASS, None


_WORST_FIRST = (Status.ERROR, Status.FAIL, Status.TIMEOUT, Status.PASS, Status.SKIP)


def combine(group: Sequence[Job], outcomes: Sequence[Outcome]) -> CaseResult:
    """The case's result: as bad as its worst variant; skipped only if all of them were."""
    status = next(status for status in _WORST_FIRST if any(outcome.status is status for outcome in outcomes))
    reasons = [
        f"{outcome.variant}: {outcome.reason}" if outcome.variant else outcome.reason
        for outcome in outcomes
        if outcome.status is status and outcome.reason
    ]
    case = group[0].case
    return CaseResult(
        id=case.id,
        primitive=case.primitive,
        status=status,
        duration_ns=sum(outcome.duration_ns for outcome in outcomes),
        iteration=group[0].iteration,
        variants=tuple(VariantResult(o.variant, o.status, o.duration_ns, o.reason) for o in outcomes),
        checks=tuple(check for outcome in outcomes for check in outcome.checks),
        trace=tuple(TraceLine(line, outcome.variant) for outcome in outcomes for line in outcome.trace),
        reason="; ".join(reasons) or None,
    )
