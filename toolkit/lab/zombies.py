"""Children that have ended and are still to be reaped."""

import os


def end_unreaped(count: int) -> list[int]:
    """Forks that many children that end at once; returns when all of them are zombies."""
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    return pids


def reap_one() -> int:
    """waitpid(-1, WNOHANG) once: the pid, or 0."""
    return os.waitpid(-1, os.WNOHANG)[0]


def reap_all() -> list[int]:
    """waitpid(-1, WNOHANG) until there is nothing to reap."""
    reaped: list[int] = []
    while True:
        try:
            pid = reap_one()
        except ChildProcessError:
            return reaped
        if not pid:
            return reaped
        reaped.append(pid)
