"""What is to be run, as jobs: one variant of one case, once."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolkit.lab.case import Case


@dataclass(frozen=True)
class Job:
    """One variant of one case, in one iteration (counted from 1)."""

    case: Case
    variant: str | None
    iteration: int


@dataclass(frozen=True)
class Plan:
    """A run.

    Attributes:
        cases: what to run, in order.
        repeat: iterations; None repeats until something fails or the run is interrupted.
        slots: how many cases run at the same time.
        timeout_s: how long one variant may take before its process tree is killed.
        seed: gives every variant its own random numbers.
        trace: whether calls are recorded.
        variant: only this one of a hazard's variants (cases without variants run whole).
        until_fail: no new case starts after one that did not pass.
    """

    cases: tuple[Case, ...]
    repeat: int | None = 1
    slots: int = 1
    timeout_s: float = 10.0
    seed: int = 0
    trace: bool = False
    variant: str | None = None
    until_fail: bool = False

    def jobs(self) -> Iterator[list[Job]]:
        """The jobs, grouped by case and iteration: a group is one result."""
        iteration = 0
        while self.repeat is None or iteration < self.repeat:
            iteration += 1
            for case in self.cases:
                group = [Job(case, name, iteration) for name in self.chosen(case)]
                if group:
                    yield group
            if not self.cases:
                return

    @property
    def job_count(self) -> int:
        """How many jobs there are; one iteration's for a plan that repeats without end."""
        return sum(len(self.chosen(case)) for case in self.cases) * (self.repeat or 1)

    def chosen(self, case: Case) -> list[str | None]:
        """The names of the variants to run; [None] for a case without variants."""
        names = [case.variant_name(function) for function in case.variants]
        return [name for name in names if name is None or self.variant in (None, name)]

    def seed_of(self, job: Job) -> str:
        """The seed of one variant: the same whatever else runs beside it."""
        return f"{self.seed}:{job.case.id}:{job.variant}:{job.iteration}"

    def shard(self, index: int, count: int) -> "Plan":
        """The part `index` (from 1) of `count`: every count-th case."""
        return Plan(
            self.cases[index - 1 :: count],
            self.repeat,
            self.slots,
            self.timeout_s,
            self.seed,
            self.trace,
            self.variant,
            self.until_fail,
        )
