"""What `evkit bench exit` measures: who misses the signal and who does not, by ratio to the flag's tick."""

import pytest

from toolkit.scheduler.exit_delay import measure

pytestmark = pytest.mark.once

TICK_MS = 200


def test_only_the_flag_pays_its_tick_and_only_when_the_signal_misses_the_wait() -> None:
    found = {(delay.name, delay.situation): delay for delay in measure(rounds=3, tick_ms=TICK_MS)}
    for way in ("signalfd", "self-pipe", "eventfd", "pwait"):
        for situation in ("waiting", "before-wait"):
            assert (found[way, situation].missed, found[way, situation].never) == (0, 0), (way, situation)
    assert found["flag", "waiting"].missed == 0
    for row in (("flag", "before-wait"), ("flag", "other-thread"), ("flag, EINTR retried", "waiting")):
        assert found[row].missed == 3, row
        assert (found[row].p50_ns or 0) >= 0.9 * TICK_MS * 1e6
    for way in ("self-pipe", "eventfd", "pwait"):
        assert (found[way, "other-thread"].missed, found[way, "other-thread"].never) == (0, 0), way
    # the other thread has not blocked the signal, so the kernel gives it to that one: default action
    assert found["signalfd", "other-thread"].never == 3
