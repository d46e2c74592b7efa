"""Resource limits, lowered for a moment."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.ffi import tracing


@contextmanager
def limited(which: int, soft: int) -> Iterator[None]:
    """Lowers one soft limit and puts it back."""
    before = resource.getrlimit(which)
    _set(which, soft, before[1])
    try:
        yield
    finally:
        _set(which, *before)


def _set(which: int, soft: int, hard: int) -> None:
    resource.setrlimit(which, (soft, hard))
    name = next(
        name for name in dir(resource) if name.startswith("RLIMIT_") and getattr(resource, name) == which
    )
    tracing.emit("prlimit64", f"0, {name}, {{rlim_cur={soft}, rlim_max={hard}}}, NULL", 0)


@contextmanager
def no_free_descriptor() -> Iterator[None]:
    """RLIMIT_NOFILE at the lowest free number: no new descriptor can be had, open ones stay."""
    free = os.dup(0)
    os.close(free)
    with limited(resource.RLIMIT_NOFILE, free):
        yield


def system_file_table() -> str:
    """`1234 of 9223372036854775807 open`, from /proc/sys/fs/file-nr."""
    used, _, most = Path("/proc/sys/fs/file-nr").read_text().split()
    return f"{used} of {most} open"


def queued_signals() -> int:
    """How many signals are queued for this user now: the first number of SigQ in /proc/self/status."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("SigQ:"))
    return int(line.split()[1].partition("/")[0])
