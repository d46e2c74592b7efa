"""A whole run: jobs handed to free slots, results as they complete."""

from collections.abc import Generator, Iterator

from toolkit.engine.places import make_slots, ready
from toolkit.engine.plan import Job, Plan
from toolkit.engine.verdict import Outcome, combine
from toolkit.features import probe
from toolkit.lab.case import Case
from toolkit.records import CaseResult, Status


def run(plan: Plan) -> Generator[CaseResult, None, None]:
    """Each case's result as it completes. Closing the iterator, or KeyboardInterrupt, ends what runs.

    Call it from a process with one thread: it forks.
    """
    groups = _Groups(plan)
    slots = make_slots(plan)
    try:
        yield from groups.skipped()
        while True:
            for slot in slots:
                if slot.job is None and (job := groups.next_job()):
                    slot.give(job)
            yield from groups.skipped()
            busy = [slot for slot in slots if slot.job is not None]
            if not busy:
                return
            for slot in ready(busy):
                result = groups.finish(*slot.take())
                if result is not None:
                    yield result
    finally:
        for slot in slots:
            slot.close()


class _Groups:
    """The jobs still to give, and the outcomes of groups that are not complete."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._groups = plan.jobs()
        self._queue: list[Job] = []
        self._open: dict[tuple[str, int], tuple[list[Job], list[Outcome]]] = {}
        self._skipped: list[CaseResult] = []
        self._stopped = False

    def next_job(self) -> Job | None:
        """The next variant to run, if any."""
        while not self._queue and not self._stopped:
            group = next(self._groups, None)
            if group is None:
                return None
            reason = lacking(group[0].case)
            if reason is None:
                self._open[_key(group[0])] = (group, [])
                self._queue = list(group)
            else:
                outcomes = [Outcome(job.variant, Status.SKIP, reason, 0) for job in group]
                self._skipped.append(combine(group, outcomes))
                if self._plan.repeat is None:
                    break  # endless repetition of nothing but skips still hands control back
        return self._queue.pop(0) if self._queue else None

    def skipped(self) -> Iterator[CaseResult]:
        """Results of cases that cannot run here."""
        while self._skipped:
            yield self._skipped.pop(0)

    def finish(self, job: Job, outcome: Outcome) -> CaseResult | None:
        """Notes an outcome; the case's result once all its variants have one."""
        group, outcomes = self._open[_key(job)]
        outcomes.append(outcome)
        if len(outcomes) < len(group):
            return None
        del self._open[_key(job)]
        outcomes.sort(key=lambda one: [job.variant for job in group].index(one.variant))
        result = combine(group, outcomes)
        if self._plan.until_fail and result.status not in (Status.PASS, Status.SKIP):
            self._stopped = True
            self._queue.clear()
        return result


def _key(job: Job) -> tuple[str, int]:
    return job.case.id, job.iteration


def lacking(case: Case) -> str | None:
    """Why the case cannot run here: the first need that a probe finds missing."""
    for need in case.needs:
        feature = probe(need)
        if not feature.available:
            return f"needs {need}: {feature.reason or 'not available here'}"
    return None
