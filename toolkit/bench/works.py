"""The works, and who can do them within this process."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from toolkit.bench import by_ctypes, loops, ours, packages, standard
from toolkit.bench.contest import Contestant, Run

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
    "ping-pong": "two threads wake each other through eventfds",
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


def contestants(stack: ExitStack, work: str) -> list[Contestant]:
    """Everybody who can do `work` here; what they open is closed with `stack`."""
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
