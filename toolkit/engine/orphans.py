"""Ends whatever a case left running.

The engine's process is a sub-reaper (PR_SET_CHILD_SUBREAPER), so orphans become its children wherever they
fled to: killing the group would miss a grandchild that called setsid.
"""

import os
import signal
from pathlib import Path


def children() -> list[int]:
    """The pids of this process's children, zombies included."""
    try:
        return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]
    except OSError:  # CONFIG_PROC_CHILDREN is off
        return [pid for pid in _all_pids() if _parent(pid) == os.getpid()]


def sweep() -> list[str]:
    """Kills and reaps every child, and theirs as they arrive: the names of those that were still running."""
    running: list[str] = []
    while found := children():
        for pid in found:
            state, name = _state_and_name(pid)
            if state not in "ZX":
                running.append(f"{name} ({pid})")
            _end(pid)
    return running


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _state_and_name(pid: int) -> tuple[str, str]:
    try:
        before, _, after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return "X", "?"
    return after.split()[0], before.partition("(")[2]
