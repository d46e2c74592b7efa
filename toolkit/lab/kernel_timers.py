"""The kernel's own list of high-resolution timers: which clock one runs on, and when it is due."""

import re
from pathlib import Path

_CLOCKS = ("CLOCK_MONOTONIC", "CLOCK_REALTIME", "CLOCK_BOOTTIME", "CLOCK_TAI")
"""By the `.index` of a base in /proc/timer_list (kernel/time/hrtimer.c); soft-interrupt bases follow in this order."""

_SLACK_NS = 1_000_000_000
_LOOKS = 20
"""The list is written processor by processor, and a sleeper may move from one to another meanwhile."""


def clock_of_timer_due(earliest_ns: int, latest_ns: int) -> str | None:
    """The clock of a timer that is due between the two times of that clock (a second later at most).

    `"none"` when there is no such timer, None when the list cannot be read (only root may, and not everywhere).
    """
    for _ in range(_LOOKS):
        try:
            text = Path("/proc/timer_list").read_text()
        except OSError:
            return None
        clock = _clock_in(text, earliest_ns, latest_ns)
        if clock != "none":
            break
    return clock


def _clock_in(text: str, earliest_ns: int, latest_ns: int) -> str:
    clock = "none"
    for line in text.splitlines():
        if found := re.match(r"\s*\.index:\s*(\d+)", line):
            clock = _CLOCKS[int(found[1]) % len(_CLOCKS)]
        elif (found := re.match(r"\s*# expires at (\d+)-", line)) and (
            earliest_ns <= int(found[1]) <= latest_ns + _SLACK_NS
        ):
            return clock
    return "none"
