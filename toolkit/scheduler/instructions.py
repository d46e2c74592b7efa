"""What a suspended coroutine tells the scheduler it waits for: it yields one of these."""

from collections import deque
from collections.abc import Coroutine, Generator
from dataclasses import dataclass
from types import coroutine
from typing import Any

Suspended = Coroutine[Any, Any, None]


@dataclass(frozen=True)
class Readiness:
    """A descriptor, and the event bit (EPOLLIN or EPOLLOUT) it should have."""

    descriptor: int
    event: int


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock, in seconds."""

    at: float


@dataclass(frozen=True)
class NextTurn:
    """Nothing: the coroutine only lets the others and the exit signal have their turn."""


@dataclass(frozen=True)
class Parked:
    """Until somebody takes the coroutine out of `queue` and gives it back to the scheduler."""

    queue: deque[Suspended]


Instruction = Readiness | Deadline | NextTurn | Parked


@coroutine
def suspend(instruction: Instruction) -> Generator[Instruction, None, None]:
    """Suspends the calling coroutine until the scheduler has seen `instruction` come true."""
    yield instruction
