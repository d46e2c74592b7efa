"""The two ledgers: what became of every connection, and of every request.

    connections accepted = closed by us + closed by the client + refused
    requests begun       = answered + refused + abandoned by the client

A request begins when its first byte is read. It is lost, a bad kind of refused, when no complete answer went out though
the client was still there and nobody told it why.
"""

import struct
from dataclasses import dataclass, fields
from operator import attrgetter


@dataclass
class Tally:
    """One worker's counts: written by that worker alone, so that counting needs no lock; summed by whoever asks."""

    accepted: int = 0
    closed_by_us: int = 0
    closed_by_client: int = 0
    refused_connections: int = 0
    begun: int = 0
    answered: int = 0
    refused_requests: int = 0
    abandoned: int = 0
    lost: int = 0
    bad: int = 0
    timed_out: int = 0
    events: int = 0
    stale_events: int = 0
    descriptors_exhausted: int = 0

    def add(self, other: "Tally") -> None:
        """Adds the other's counts to these."""
        for name in NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def open_connections(self) -> int:
        """Accepted, and not yet accounted for."""
        return self.accepted - self.closed_by_us - self.closed_by_client - self.refused_connections

    @property
    def open_requests(self) -> int:
        """Begun, and not yet accounted for."""
        return self.begun - self.answered - self.refused_requests - self.abandoned

    @property
    def balanced(self) -> bool:
        """Whether both ledgers hold, which they do exactly when a run has ended."""
        return self.open_connections == 0 and self.open_requests == 0

    def settle_killed(self) -> None:
        """Accounts for what a worker had in hand when it was killed: the kernel closed it, its requests are lost."""
        self.lost += self.open_requests
        self.refused_requests += self.open_requests
        self.closed_by_us += self.open_connections

    @classmethod
    def unpack_from(cls, memory: memoryview) -> "Tally":
        """The counts that another process published last."""
        return cls(*PACKED.unpack_from(memory, 0))


NAMES = tuple(field.name for field in fields(Tally))
_EVENTS, _BEGUN = map(NAMES.index, ("events", "begun"))
_BOTH = struct.Struct("=2q")  # begun, and answered behind it
_counts_of = attrgetter(*NAMES)
PACKED = struct.Struct(f"={len(NAMES)}q")


class Published:
    """A tally in memory that another process reads: it outlives the worker who counts."""

    def __init__(self, tally: Tally, memory: memoryview) -> None:
        self._tally = tally
        self._words = memory.cast("q")
        self.publish()

    def publish(self) -> None:
        """Writes all counts."""
        PACKED.pack_into(self._words, 0, *_counts_of(self._tally))

    def publish_answers(self) -> None:
        """As `publish`, at a seventh of its time, after a turn that did nothing but answer: nearly every turn does."""
        words, tally = self._words, self._tally
        words[_EVENTS] = tally.events
        # in one call: who is killed between the two would seem to have lost what it has answered
        _BOTH.pack_into(words, _BEGUN * words.itemsize, tally.begun, tally.answered)


def total(tallies: "list[Tally]") -> Tally:
    """The sum of several workers' counts."""
    found = Tally()
    for tally in tallies:
        found.add(tally)
    return found
