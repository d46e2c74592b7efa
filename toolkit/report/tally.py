"""Counts results and draws the conclusion: what a result amounts to, and the exit code of a whole run."""

from collections import Counter
from enum import Enum

from toolkit.exits import Exit, by_signal, worst
from toolkit.records import CaseResult, Status, Summary


class Verdict(str, Enum):
    """What a result amounts to: its status, or what a list of known differences makes of it."""

    PASS = "pass"  # noqa: S105  not a password
    FAIL = "fail"
    SKIP = "skip"
    ERROR = "error"
    TIMEOUT = "timeout"
    KNOWN = "known"
    UNLISTED = "unlisted"

    @property
    def is_good(self) -> bool:
        """Whether a run of nothing but this succeeds."""
        return self in (Verdict.PASS, Verdict.KNOWN, Verdict.SKIP)


_EXITS = {
    Verdict.PASS: Exit.OK,
    Verdict.KNOWN: Exit.OK,
    Verdict.FAIL: Exit.DIFFERED,
    Verdict.UNLISTED: Exit.DIFFERED,
    Verdict.ERROR: Exit.HARNESS,
    Verdict.TIMEOUT: Exit.TIMEOUT,
}


def verdict_of(result: CaseResult) -> Verdict:
    """The status; against a list, `unlisted` where it differs, `known` where it is bad but as listed."""
    if result.known is not None and not result.known.as_listed:
        return Verdict.UNLISTED
    if result.known is not None and result.status not in (Status.PASS, Status.SKIP):
        return Verdict.KNOWN
    return Verdict(result.status.value)


class Tally:
    """What a run has come to so far."""

    def __init__(self, with_list: bool = False) -> None:
        self._with_list = with_list
        self._statuses: Counter[Status] = Counter()
        self._verdicts: Counter[Verdict] = Counter()

    def add(self, result: CaseResult) -> None:
        """Counts one result."""
        self._statuses[result.status] += 1
        self._verdicts[verdict_of(result)] += 1

    @property
    def cases(self) -> int:
        """How many results there are."""
        return self._statuses.total()

    def exit_code(self, ended_by_signal: int | None = None) -> int:
        """By the precedence of exits.py. Skips count only when there is nothing else; nothing at all is not a pass."""
        if ended_by_signal is not None:
            return by_signal(ended_by_signal)
        return worst(_EXITS[verdict] for verdict in self._verdicts if verdict is not Verdict.SKIP)

    def summary(self, duration_ns: int, ended_by_signal: int | None = None) -> Summary:
        """The run's last record."""
        return Summary(
            cases=self.cases,
            passed=self._statuses[Status.PASS],
            failed=self._statuses[Status.FAIL],
            skipped=self._statuses[Status.SKIP],
            errors=self._statuses[Status.ERROR],
            timeouts=self._statuses[Status.TIMEOUT],
            duration_ns=duration_ns,
            exit_code=self.exit_code(ended_by_signal),
            interrupted=ended_by_signal is not None,
            unlisted=self._verdicts[Verdict.UNLISTED] if self._with_list else None,
        )
