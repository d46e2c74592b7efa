"""Many durations in little memory: a log-linear histogram whose buckets are at most 1.6 % wide."""

from array import array
from collections import Counter
from dataclasses import dataclass

from toolkit.ffi import linux

_MANTISSA_BITS = 7
_FOLD_AT = 4096


@dataclass(frozen=True)
class Percentiles:
    """A distribution of durations in nanoseconds; without any, only `count` says so."""

    count: int
    min: int | None = None
    p50: int | None = None
    p90: int | None = None
    p99: int | None = None
    p999: int | None = None
    max: int | None = None


class Latencies:
    """Collects durations in nanoseconds. One thread adds; `merge` and `percentiles` are for afterwards.

    Durations are kept as they come and counted a few thousand at a time, since adding is on the hot path.
    """

    def __init__(self) -> None:
        self._fresh: list[int] = []
        self._buckets: Counter[int] = Counter()
        self._minimum: int | None = None
        self._maximum = 0

    def add(self, duration_ns: int) -> None:
        """Counts one duration."""
        self._fresh.append(duration_ns)
        if len(self._fresh) >= _FOLD_AT:
            self._fold()

    def _fold(self) -> None:
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return
        lowest = min(fresh)
        self._minimum = lowest if self._minimum is None else min(self._minimum, lowest)
        self._maximum = max(self._maximum, max(fresh))
        edges = array("Q", fresh)  # a bucket is named by its lower edge
        linux.lib.evk_lower_edges(linux.ffi.from_buffer("uint64_t[]", edges), len(edges), _MANTISSA_BITS)
        self._buckets.update(edges)

    def merge(self, other: "Latencies") -> None:
        """Adds everything the other has collected."""
        self._fold()
        other._fold()
        if other._minimum is None:
            return
        self._minimum = other._minimum if self._minimum is None else min(self._minimum, other._minimum)
        self._maximum = max(self._maximum, other._maximum)
        self._buckets.update(other._buckets)

    def as_pairs(self) -> list[tuple[int, int]]:
        """Buckets as (lower edge, count), lowest first: what `from_pairs` takes, in another process say."""
        self._fold()
        return sorted(self._buckets.items())

    @classmethod
    def from_pairs(cls, pairs: list[tuple[int, int]]) -> "Latencies":
        """The histogram that `as_pairs` described; minimum and maximum are known to a bucket."""
        found = cls()
        found._buckets = Counter(dict(pairs))
        if pairs:
            found._minimum, found._maximum = pairs[0][0], pairs[-1][0]
        return found

    def percentiles(self) -> Percentiles:
        """Each percentile is the upper edge of its bucket, and never above the maximum."""
        self._fold()
        count = sum(self._buckets.values())
        if not count:
            return Percentiles(0)
        wanted = {
            name: count * share
            for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999))
        }
        found: dict[str, int] = {}
        seen = 0
        for low in sorted(self._buckets):
            seen += self._buckets[low]
            for name, rank in wanted.items():
                if name not in found and seen >= rank:
                    found[name] = min(_upper_edge(low), self._maximum)
        return Percentiles(count, min=self._minimum, max=self._maximum, **found)


def _upper_edge(low: int) -> int:
    return low + (1 << max(0, low.bit_length() - _MANTISSA_BITS)) - 1
