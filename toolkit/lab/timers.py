"""Ways to send a signal that the standard library lacks."""

import os
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from toolkit.ffi import linux, raw, tracing
from toolkit.lab.threads import until

_SIGEV_SIGNAL = 0
_VALUE = 4242
_PERIOD_NS = 100_000


def expire_interval_timer() -> None:
    """SIGALRM from setitimer(2), due at once."""
    signal.setitimer(signal.ITIMER_REAL, 1e-6)
    tracing.emit("setitimer", "ITIMER_REAL, {it_value={0, 1}}, NULL", 0)


@contextmanager
def overrunning_posix_timer(number: int) -> Iterator[tuple[int, int]]:
    """A periodic CLOCK_MONOTONIC timer that has already missed expirations: `(its id, the value it sends)`.

    The signal stays pending while the timer goes on, so each further expiration is an overrun. It must be read before
    the timer is disarmed: since Linux 6.13 that drops the pending signal.

    Raises:
        DeadlineError: it did not expire in time.
    """
    with raw.Region() as region:
        event = struct.pack("=Qii", _VALUE, number, _SIGEV_SIGNAL) + bytes(48)
        identity_at, setting_at = region.address + 128, region.address + 192
        _must(
            raw.syscall(
                linux.compiled.SYS_timer_create, time.CLOCK_MONOTONIC, region.write(event), identity_at
            )
        )
        identity = int.from_bytes(region.read(4, 128), sys.byteorder)
        region.write(struct.pack("=qqqq", 0, _PERIOD_NS, 0, _PERIOD_NS), 192)
        _must(raw.syscall(linux.compiled.SYS_timer_settime, identity, 0, setting_at, 0))
        try:
            until(lambda: number in signal.sigpending(), "a POSIX timer expired")
            missed = time.monotonic_ns() + 10 * _PERIOD_NS
            until(lambda: time.monotonic_ns() > missed, "ten more periods passed")
            yield identity, _VALUE
        finally:
            _must(raw.syscall(linux.compiled.SYS_timer_delete, identity))


def queue_with_code(number: int, code: int) -> None:
    """rt_sigqueueinfo(2) to this process, with a negative si_code of the caller's choice."""
    with raw.Region() as region:
        info = struct.pack("=iii", number, 0, code) + bytes(116)
        _must(raw.syscall(linux.compiled.SYS_rt_sigqueueinfo, os.getpid(), number, region.write(info)))


def _must(outcome: raw.Outcome) -> None:
    result, error = outcome
    if result < 0:
        raise OSError(error, os.strerror(error))
