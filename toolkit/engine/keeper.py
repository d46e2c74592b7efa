"""A process above each runner: when a case manages to kill its runner, somebody still ends what the case started.

The runner is a sub-reaper and sweeps after each case. Should it die, its orphans go to the next sub-reaper up, which
is the keeper. The engine's own process takes no such part: it may have children that are none of our business.
"""

import contextlib
import os
import select
import shutil
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from toolkit.engine import orphans
from toolkit.primitives.deaf_fork import ENDING, fork_deaf


class _Stopped(BaseException):
    """SIGTERM: the run was interrupted, or the process above is gone."""


def be_a_keeper(runner: Callable[[], None], connection: socket.socket, folder: Path) -> NoReturn:
    """In a process of `fork_deaf`: forks another for `runner`, waits for its end, and ends and removes what is left."""
    try:
        os.setpgid(0, 0)  # Ctrl-C goes to the foreground group; the engine decides what becomes of us
        _reap()  # and stays deaf: a handler could cut the last sweep short, just when the engine sees the runner gone
        pid = fork_deaf()
        if pid == 0:
            _be_its_runner(runner)
        connection.close()  # so that the engine sees the end of the runner's
        _wait_for(pid)
    finally:
        _leave(folder)


def _be_its_runner(runner: Callable[[], None]) -> NoReturn:
    try:
        _reap()
        signal.signal(signal.SIGTERM, _stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        runner()
    finally:
        _leave()


def _leave(folder: Path | None = None) -> NoReturn:
    try:
        _sweep()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)  # whatever happened: above here is the engine's own stack, which is not ours to run


def _sweep() -> None:
    while True:
        with contextlib.suppress(_Stopped):  # twice when a second signal comes before `_stop` has begun
            orphans.sweep()
            return


def _wait_for(runner: int) -> None:
    """Until it has ended; SIGTERM, which stays blocked, is passed on to it."""
    from toolkit.primitives.signalfd import SignalFd

    pidfd = os.pidfd_open(runner)
    with SignalFd([signal.SIGTERM]) as asked:
        waiting = select.poll()
        waiting.register(pidfd, select.POLLIN)
        waiting.register(asked, select.POLLIN)
        while pidfd not in dict(waiting.poll()):
            asked.read()
            os.kill(runner, signal.SIGTERM)  # not reaped yet: the number is still its own
    os.close(pidfd)
    os.waitpid(runner, 0)


def _reap() -> None:
    from toolkit.ffi.linux import compiled

    compiled.evk_prctl(compiled.PR_SET_PDEATHSIG, signal.SIGTERM)
    compiled.evk_prctl(compiled.PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _Stopped
