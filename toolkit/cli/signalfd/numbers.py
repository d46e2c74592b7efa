"""Signals as users write them."""

import signal

from toolkit.cli.refusal import refuse
from toolkit.ffi.siginfo import signal_name, signal_number

_NEVER_BLOCKED = (signal.SIGKILL, signal.SIGSTOP)  # signal(7)


def parse_signals(words: list[str]) -> list[int]:
    """The numbers of `USR1`, `SIGUSR1`, `RTMIN+3`, `10`. Refuses unknown names with near misses (status 2)."""
    try:
        return [signal_number(word) for word in words]
    except ValueError as error:
        return refuse(str(error))


def parse_watched(words: list[str]) -> list[int]:
    """As `parse_signals`; refuses also what no process can block, and so no signalfd read."""
    numbers = parse_signals(words)
    for number in numbers:
        if number in _NEVER_BLOCKED:
            refuse(f"{signal_name(number)} cannot be blocked, so a signalfd never reads it")
        if number not in signal.valid_signals():
            refuse(f"signal {number} is the C library's own (signal(7)); real-time signals start at RTMIN")
    return numbers
