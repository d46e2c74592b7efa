"""The C histogram seen from Python: 128 buckets an octave, so a value is known to 0.4 %."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_EXACT = 128  # below this each nanosecond has its own bucket


def lower_bound(bucket: int) -> int:
    """The smallest number of nanoseconds that falls into `bucket`."""
    if bucket < _EXACT:
        return bucket
    octave = bucket // _EXACT + 6
    return (_EXACT + bucket % _EXACT) << (octave - 7)


def bucket_of(ns: int) -> int:
    """The bucket into which that many nanoseconds fall."""
    octave = ns.bit_length() - 1
    return ns if ns < _EXACT else (octave - 7) * _EXACT + (ns >> (octave - 7))


def middle(bucket: int) -> int:
    """The middle of `bucket` in nanoseconds: what a value in it is reported as."""
    return (lower_bound(bucket) + lower_bound(bucket + 1) - 1) // 2


@dataclass(frozen=True)
class Latency:
    """How long operations took, in nanoseconds; percentiles are known to 0.4 %, minimum and maximum exactly."""

    count: int
    min: int
    p50: int
    p90: int
    p99: int
    p999: int
    max: int


@dataclass(frozen=True)
class Range:
    """How many operations took `from_ns` or more, and less than `to_ns`."""

    from_ns: int
    to_ns: int
    count: int


@dataclass(frozen=True)
class Histogram:
    """Counts by bucket, merged from any number of workers."""

    count: int
    minimum: int
    maximum: int
    buckets: Sequence[int]

    def percentile(self, fraction: float) -> int:
        """The latency in nanoseconds below which `fraction` of the operations stayed (nearest rank); 0 when empty."""
        wanted = max(1, -int(-self.count * fraction // 1))
        seen = 0
        for bucket, count in enumerate(self.buckets):
            seen += count
            if seen >= wanted:
                return min(max(middle(bucket), self.minimum), self.maximum)
        return self.maximum

    def latency(self) -> Latency | None:
        """The figures to report; None when nothing was timed."""
        if self.count == 0:
            return None
        return Latency(
            count=self.count,
            min=self.minimum,
            p50=self.percentile(0.5),
            p90=self.percentile(0.9),
            p99=self.percentile(0.99),
            p999=self.percentile(0.999),
            max=self.maximum,
        )

    def ranges(self) -> tuple[Range, ...]:
        """The counts by quarter octaves (19 % wide), from the fastest to the slowest; empty ones are left out."""
        firsts = range(0, len(self.buckets), _EXACT // 4)
        counted = ((first, sum(self.buckets[first : first + _EXACT // 4])) for first in firsts)
        return tuple(
            Range(lower_bound(first), lower_bound(first + _EXACT // 4), count)
            for first, count in counted
            if count
        )


def merge(histograms: Iterable[Any]) -> Histogram:
    """One histogram of several `struct evk_histogram`; empty ones count for nothing."""
    from toolkit.ffi import linux  # here, so that results can be made where there are no C histograms

    filled = [histogram for histogram in histograms if histogram.count]
    if not filled:
        return Histogram(0, 0, 0, ())
    lists = [linux.ffi.unpack(histogram.buckets, linux.compiled.EVK_BUCKETS) for histogram in filled]
    return Histogram(
        count=sum(histogram.count for histogram in filled),
        minimum=min(histogram.minimum for histogram in filled),
        maximum=max(histogram.maximum for histogram in filled),
        buckets=[sum(column) for column in zip(*lists, strict=True)] if len(lists) > 1 else lists[0],
    )
