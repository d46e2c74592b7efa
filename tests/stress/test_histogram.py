"""The C histogram: where a value falls, how exactly it is known, and percentiles against a sorted list."""

import random

import pytest

from toolkit.ffi import linux
from toolkit.stress.histogram import bucket_of, lower_bound, merge, middle
from toolkit.stress.memory import RunMemory

_MINUTE_NS = 60 * 10**9


def test_every_bucket_begins_where_the_last_one_ended() -> None:
    for bucket in range(1, linux.compiled.EVK_BUCKETS):
        first = lower_bound(bucket)
        assert linux.compiled.evk_bucket_of(first) == bucket
        assert linux.compiled.evk_bucket_of(first - 1) == bucket - 1


def test_python_and_c_put_a_value_into_the_same_bucket() -> None:
    for value in (
        *range(1025),
        *(2**octave + more for octave in range(10, 36) for more in (-1, 0, 1, 12345 % 2**octave)),
    ):
        assert bucket_of(value) == linux.compiled.evk_bucket_of(value), value


@pytest.mark.parametrize("value", [1, 127, 128, 1_000, 123_456, 10**9, _MINUTE_NS])
def test_a_value_is_known_better_than_one_percent_up_to_a_minute(value: int) -> None:
    shown = middle(linux.compiled.evk_bucket_of(value))
    assert abs(shown - value) / value < 0.01


def test_what_is_longer_than_the_last_bucket_counts_there_and_keeps_its_maximum() -> None:
    memory = RunMemory(processes=False)
    histogram = memory.worker().latency
    linux.compiled.evk_record(linux.ffi.addressof(histogram), 2**50)
    merged = merge([histogram])
    assert merged.buckets[-1] == 1
    assert merged.latency().max == 2**50  # type: ignore[union-attr]  one value was recorded


def test_percentiles_of_two_workers_agree_with_a_sorted_list() -> None:
    draw = random.Random(7)
    values = [int(draw.lognormvariate(9, 2)) for _ in range(20_000)]
    memory = RunMemory(processes=False)
    workers = [memory.worker() for _ in range(2)]
    for index, value in enumerate(values):
        linux.compiled.evk_record(linux.ffi.addressof(workers[index % 2].latency), value)
    merged = merge(worker.latency for worker in workers)
    values.sort()
    assert (merged.count, merged.minimum, merged.maximum) == (len(values), values[0], values[-1])
    for fraction in (0.5, 0.9, 0.99, 0.999):
        exact = values[int(fraction * len(values)) - 1]
        assert merged.percentile(fraction) == pytest.approx(exact, rel=0.01, abs=1)
    assert sum(each.count for each in merged.ranges()) == len(values)
