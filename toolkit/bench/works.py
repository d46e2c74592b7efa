"""The works, and who can do them within this process."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from toolkit.bench import by_ctypes, loops, ours, packages, reference, standard, thread_loops, wake
from toolkit.bench.contest import Contestant, Run
from toolkit.bench.placement import on_one_cpu

WORKS: Final = {
    "write-read": "eventfd: write and read",
    "ctl-mod": "epoll_ctl MOD",
    "ctl-add-del": "epoll_ctl ADD and DEL",
    "ctl-mod-64": "epoll_ctl MOD of 64 descriptors",
    "wait-1": "epoll_wait for a single event",
    "wait-list-1": "epoll_wait up to 64, 1 ready",
    "wait-list-64": "epoll_wait up to 64, 64 ready",
    "write-wait-read": "eventfd write, epoll_wait, read",
    "raise-read": "signal oneself, read the signalfd, every field of the record",
    "raise-number": "signal oneself, read the signalfd, the signal's number only",
    "ctl-threads": "epoll_ctl at random by two threads, an instance each",
    "wait-threads": "one writer, two threads in epoll_wait, an instance each",
    "ping-pong": "two threads on one CPU wake each other through eventfds",
    "wake-p50": "from write to read by a waiter asleep in epoll_wait on another CPU: the median",
    "wake-p99": "the same: the 99th percentile",
}

Make = Callable[[ExitStack, str], Run | None]
"""Sets a work up; None when this contestant has no such call. Raises ImportError when it is not installed."""

_WHO: Final[dict[str, Make]] = {
    "loop": loops.make,
    "evkit": ours.make,
    "stdlib": standard.make,
    "ctypes": by_ctypes.make,
    "linuxfd": packages.make_linuxfd,
    "butter": packages.make_butter,
    "signalfd": packages.make_signalfd,
}


def contestants(stack: ExitStack, work: str, program: Path | None) -> list[Contestant]:
    """Everybody who can do `work` here, the yardstick first; what they open is closed with `stack`.

    The yardstick is C where `program` was built, else the standard library. Nobody where the work needs C.
    """
    if work in wake.FRACTIONS:
        return wake.contestants(program, work) if program else []
    found = _in_this_process(stack, work)
    if program:
        found.insert(0, reference.contestant(program, work))
    else:
        found.sort(key=lambda each: each.name != "stdlib")
    return [on_one_cpu(each) for each in found] if work == "ping-pong" else found


def _in_this_process(stack: ExitStack, work: str) -> list[Contestant]:
    if work in thread_loops.WORKS:
        return [Contestant("loop", thread_loops.make(work))]
    found = []
    for name, make in _WHO.items():
        try:
            run = make(stack, work)
        except ImportError:
            continue  # an optional peer that is not installed
        if run is not None:
            found.append(Contestant(name, run))
    return found


def missing() -> list[str]:
    """The optional packages that are not installed."""
    return [name for name in ("linuxfd", "butter", "signalfd") if not packages.is_installed(name)]
