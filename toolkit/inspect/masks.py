"""What a signalfd takes, and whether signals can reach it: masks and pending ones of threads (proc_pid_status(5))."""

import os

from toolkit.ffi.siginfo import signal_name, signals_of
from toolkit.inspect.records import ThreadMask

Masks = dict[str, str]


def names_of(mask: int) -> tuple[str, ...]:
    """The signals in a mask by name, lowest first."""
    return tuple(map(signal_name, signals_of(mask)))


def read_threads(pid: int, mask: int) -> tuple[tuple[str, ...], tuple[ThreadMask, ...]]:
    """Signals of `mask` pending for the whole process, and each thread's part; without threads that end meanwhile."""
    shared = 0
    threads = []
    for tid in _list_threads(pid):
        fields = _status(pid, tid)
        if "SigBlk" not in fields:
            continue
        blocked = int(fields["SigBlk"], 16)
        shared |= int(fields["ShdPnd"], 16)
        threads.append(
            ThreadMask(
                tid,
                fields["Name"],
                names_of(mask & blocked),
                names_of(mask & ~blocked),
                names_of(mask & int(fields["SigPnd"], 16)),
            )
        )
    return names_of(mask & shared), tuple(threads)


def _list_threads(pid: int) -> list[int]:
    try:
        return sorted(map(int, os.listdir(f"/proc/{pid}/task")))  # noqa: PTH208  names, fast
    except OSError:
        return []


def _status(pid: int, tid: int) -> Masks:
    try:
        with open(f"/proc/{pid}/task/{tid}/status", errors="replace") as file:
            pairs = (line.partition(":") for line in file)
            return {key: value.strip() for key, _, value in pairs}
    except OSError:
        return {}
