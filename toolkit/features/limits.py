"""Probes of limits: what a process may open, queue and watch."""

import os
import resource
from pathlib import Path

from toolkit.features.trying import Attempt, Probe


def _resource(which: int) -> Attempt:
    def limit() -> str:
        soft, hard = (_spell(value) for value in resource.getrlimit(which))
        return soft if soft == hard else f"{soft} (up to {hard})"

    return limit


def _spell(value: int) -> str:
    return "unlimited" if value == resource.RLIM_INFINITY else str(value)


def _sysctl(name: str) -> Attempt:
    return lambda: " ".join(Path("/proc/sys", name).read_text().split())


PROBES = {
    "rlimit_nofile": Probe("limits", "descriptors a process may have", _resource(resource.RLIMIT_NOFILE)),
    "rlimit_sigpending": Probe(
        "limits", "signals queued for a user", _resource(getattr(resource, "RLIMIT_SIGPENDING", 11))
    ),
    "rlimit_nproc": Probe("limits", "processes and threads of a user", _resource(resource.RLIMIT_NPROC)),
    "max_user_watches": Probe("limits", "epoll entries of a user", _sysctl("fs/epoll/max_user_watches")),
    "nr_open": Probe("limits", "the most that RLIMIT_NOFILE can be", _sysctl("fs/nr_open")),
    "file_max": Probe("limits", "open files of the system", _sysctl("fs/file-max")),
    "somaxconn": Probe("limits", "the longest accept queue", _sysctl("net/core/somaxconn")),
    "cpus": Probe("limits", "processors this process may use", lambda: str(len(os.sched_getaffinity(0)))),
}
