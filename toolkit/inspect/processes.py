"""Processes as /proc shows them: which there are, their names, parents, ages and pid namespaces (proc(5))."""

import os
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

_STAT_PARENT = 1  # proc_pid_stat(5), counted from the state, which follows the name in parentheses
_STAT_START = 19
_WILDCARDS = "*?["
_ENOUGH_BYTES = 1 << 16


def list_processes() -> list[int]:
    """Every process that /proc shows, lowest first."""
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208  names, fast


def own_pid_in_proc() -> int | None:
    """This process's number in the mounted /proc; None when it shows another pid namespace, without us."""
    try:
        return int(str(Path("/proc/self").readlink()))
    except OSError:
        return None


def name_of(pid: int) -> str:
    """The process's name (comm); `?` when it ended."""
    return _read(pid, "comm").decode(errors="replace").rstrip("\n") or "?"


def find_named(pattern: str) -> list[int]:
    """Processes whose name, command or script matches: a glob, or, without wildcards, a part of it."""
    glob = pattern if any(mark in pattern for mark in _WILDCARDS) else f"*{pattern}*"
    me = own_pid_in_proc()
    return [
        pid for pid in list_processes() if pid != me and any(fnmatchcase(name, glob) for name in _names(pid))
    ]


def _names(pid: int) -> list[str]:
    """The comm, and the base names of the first two arguments: an interpreter's script is its second."""
    arguments = _read(pid, "cmdline").decode(errors="replace").split("\0")[:2]
    words = [argument for argument in arguments if argument and not argument.startswith("-")]
    # nginx and others write a title over their arguments: "nginx: master process /usr/sbin/nginx"
    return [name_of(pid), *(Path(word).name for word in words), *(word for word in words if ": " in word)]


def parent_of(pid: int) -> int:
    """The parent's number; 0 when there is none or the process ended."""
    words = _stat_words(pid)
    return int(words[_STAT_PARENT]) if words else 0


def started(pid: int) -> int:
    """When it started, in clock ticks since boot; a number past all when it ended."""
    words = _stat_words(pid)
    return int(words[_STAT_START]) if words else 1 << 63


def is_busy(pid: int) -> bool:
    """Whether a thread runs, wants to, or is in the middle of something in the kernel: any state but asleep or over."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  names, fast
    except OSError:
        return False
    return any(_stat_words(f"{pid}/task/{tid}")[:1] in ([b"R"], [b"D"]) for tid in threads)


def descends_from(pid: int, ancestor: int) -> bool:
    """Whether `ancestor` is a parent, grandparent, ... of `pid`. A parent that ended breaks the chain."""
    while pid > 1:
        pid = parent_of(pid)
        if pid == ancestor:
            return True
    return False


def nested_pids(pid: int) -> tuple[int, ...] | None:
    """Its numbers in the pid namespaces below ours, outermost first; None when it lives in ours."""
    if _namespace(pid, "pid") in (own_pid_namespace(), None):
        return None
    for line in _read(pid, "status").decode(errors="replace").splitlines():
        if line.startswith("NSpid:"):
            return tuple(int(word) for word in line.split()[2:]) or None
    return None


def net_namespace(pid: int) -> str | None:
    """What identifies its network namespace, `net:[4026531840]`; None when it may not be read or it ended."""
    return _namespace(pid, "net")


@lru_cache(maxsize=1)
def own_pid_namespace() -> str | None:
    """What identifies the pid namespace of this process."""
    return _namespace("self", "pid")


def _namespace(pid: int | str, kind: str) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")  # noqa: PTH115  one for each process: pathlib would double it
    except OSError:
        return None


def _stat_words(pid: int | str) -> list[bytes]:
    # The name may hold spaces and parentheses: what follows its last one is plain words.
    return _read(pid, "stat").rpartition(b")")[2].split()


def _read(pid: int | str, name: str) -> bytes:
    try:
        number = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(number, _ENOUGH_BYTES)
    except OSError:  # ESRCH: it ended after the open
        return b""
    finally:
        os.close(number)
