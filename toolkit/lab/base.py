"""What every part of a lab stands on: its folder, its random numbers, its patience, and what it keeps alive."""

import math
import os
import random
from pathlib import Path

from toolkit.lab.checks import Checks, Report

TIME_SCALE = float(os.environ.get("EVKIT_TIME_SCALE", "1"))
"""Deadlines are multiplied by this, for machines (emulators, user-mode kernels) where a fork takes 60 ms."""


class LabBase(Checks):
    """State shared by the parts.

    Attributes:
        tmp_path: the variant's own folder, removed afterwards.
        random: seeded from `--seed`, the case, the variant and the iteration.
    """

    def __init__(
        self, report: Report, claims: frozenset[str], variant: str | None, seed: str, tmp_path: Path
    ) -> None:
        super().__init__(report, claims, variant)
        self.tmp_path = tmp_path
        self.random = random.Random(seed)  # noqa: S311  to repeat a run, not for secrets
        self._kept: list[object] = []

    def keep(self, thing: object) -> None:
        """Keeps an object as long as the case, so that no collection closes a number behind its back."""
        self._kept.append(thing)

    @staticmethod
    def milliseconds(within: float | None) -> int:
        """Seconds as a timeout in ms, rounded up and scaled; -1 for None, which waits without end."""
        return -1 if within is None else math.ceil(within * 1000 * TIME_SCALE)

    @staticmethod
    def seconds(within: float) -> float:
        """Seconds, scaled."""
        return within * TIME_SCALE
