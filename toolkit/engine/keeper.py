"""A process above each runner: when a case manages to kill its runner, somebody still ends what the case started.

The runner is a sub-reaper and sweeps after each case. Should it die, its orphans go to the next sub-reaper up, which
is the keeper. The engine's own process takes no such part: it may have children that are none of our business.
"""

import contextlib
import os
import shutil
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from toolkit.engine import orphans


class _Stopped(BaseException):
    """SIGTERM: the run was interrupted, or the process above is gone."""


def be_a_keeper(runner: Callable[[], None], connection: socket.socket, folder: Path) -> NoReturn:
    """Forks a process for `runner`, waits for its end, and ends and removes what is left."""
    try:
        os.setpgid(0, 0)  # Ctrl-C goes to the foreground group; the engine decides what becomes of us
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _reap_and_obey()
        pid = os.fork()
        if pid == 0:
            _be_its_runner(runner)
        connection.close()  # so that the engine sees the end of the runner's
        _wait_for(pid)
    finally:
        _sweep()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def _be_its_runner(runner: Callable[[], None]) -> NoReturn:
    try:
        _reap_and_obey()
        runner()
    finally:
        _sweep()
        os._exit(0)


def _sweep() -> None:
    with contextlib.suppress(_Stopped):  # it may come now, but only once
        orphans.sweep()
    orphans.sweep()


def _wait_for(runner: int) -> None:
    try:
        os.waitpid(runner, 0)
    except _Stopped:
        os.kill(runner, signal.SIGTERM)
        os.waitpid(runner, 0)


def _reap_and_obey() -> None:
    from toolkit.ffi.linux import compiled

    compiled.evk_prctl(compiled.PR_SET_PDEATHSIG, signal.SIGTERM)
    compiled.evk_prctl(compiled.PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, _stop)


def _stop(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _Stopped
