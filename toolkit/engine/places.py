"""Where jobs run: forked runners on Linux, fresh processes on Windows, behind the same few calls."""

import sys
from collections.abc import Sequence
from typing import Protocol

from toolkit.engine.plan import Job, Plan
from toolkit.engine.verdict import Outcome


class Place(Protocol):
    """Runs one job at a time.

    Attributes:
        job: what it has, or None.
    """

    job: Job | None

    def give(self, job: Job) -> None:
        """Starts a job; the place must have none."""

    def take(self) -> tuple[Job, Outcome]:
        """The job and its outcome, once `ready` has named this place."""

    def close(self) -> None:
        """Ends what runs here."""


def make_slots(plan: Plan) -> Sequence[Place]:
    """As many places as the plan has slots, and no more than it has jobs."""
    slots = min(plan.slots, plan.job_count)
    platform: str = sys.platform  # a plain str, so that type checkers read both branches
    if platform == "win32":
        from toolkit.engine.spawned import Spawner

        spawner = Spawner(plan)
        return [spawner.slot() for _ in range(slots)]
    from toolkit.engine.slots import Slot

    return [Slot(plan) for _ in range(slots)]


def ready(busy: Sequence[Place]) -> Sequence[Place]:
    """Waits until at least one of these has its outcome: those that have."""
    platform: str = sys.platform
    if platform == "win32":
        from toolkit.engine import spawned

        return spawned.ready([place for place in busy if isinstance(place, spawned.SpawnedSlot)])
    from toolkit.engine import slots

    return slots.ready([place for place in busy if isinstance(place, slots.Slot)])
