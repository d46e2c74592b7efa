"""Workers as threads or as processes, each running its loop slice by slice until it is finished."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from toolkit.ffi import linux
from toolkit.stress.interruption import leave_the_end_to_parent
from toolkit.stress.pinning import cpus_for
from toolkit.stress.stage import Stage, Worker

_KILLABLE = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}


def work(run: Any, worker: Worker, cpus: set[int] | None) -> None:  # noqa: ANN401  cffi data has no static type
    """What a worker does, from the start barrier to its end."""
    try:
        if cpus is not None:
            os.sched_setaffinity(0, cpus)
        loop = getattr(linux.compiled, f"evk_loop_{worker.loop}")
        linux.compiled.evk_arrive(run, worker.memory)
        while loop(run, worker.memory) > 0:
            pass
    finally:
        linux.compiled.evk_retire(run, worker.memory)


class Crew(Protocol):
    """Started workers."""

    def alive(self) -> int:
        """How many have not ended."""

    def deaths(self) -> list[str]:
        """What ended before its time, in words."""


class Threads:
    """Workers as threads of this process. Daemons: one stuck in the kernel cannot hold the exit."""

    def __init__(self, stage: Stage) -> None:
        cpus = cpus_for(stage.plan.pin, len(stage.workers))
        self._threads = [
            threading.Thread(target=work, args=(stage.run, worker, cpus[index]), daemon=True)
            for index, worker in enumerate(stage.workers)
        ]
        started = 0
        with signals_left_to_main():
            try:
                for thread in self._threads:
                    thread.start()
                    started += 1
            except RuntimeError as error:
                stage.run.abort = 1
                raise OSError(
                    f"started {started} of {len(self._threads)} workers: {error} (ulimit -u)"
                ) from error

    def alive(self) -> int:
        return sum(thread.is_alive() for thread in self._threads)

    def deaths(self) -> list[str]:
        return []


class Processes:
    """Workers as forked processes, which die with this one."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._deaths: list[str] = []
        self._running: dict[int, Worker] = {}
        cpus = cpus_for(stage.plan.pin, len(stage.workers))
        stage.on_close(self._kill)
        parent = os.getpid()
        for index, worker in enumerate(stage.workers):
            try:
                pid = os.fork()
            except OSError as error:
                stage.run.abort = 1
                raise OSError(error.errno, f"started {index} workers, then fork: {error.strerror}") from error
            if pid == 0:
                self._child(parent, worker, cpus[index])
            self._running[pid] = worker

    def _child(self, parent: int, worker: Worker, cpus: set[int] | None) -> None:
        status = 1
        try:
            leave_the_end_to_parent()
            linux.compiled.evk_prctl(linux.compiled.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:  # else it died before the prctl
                work(self._stage.run, worker, cpus)
                status = 0
        finally:
            os._exit(status)

    def alive(self) -> int:
        for pid, worker in list(self._running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._running[pid]
                self._note(worker, status)
        return len(self._running)

    def _note(self, worker: Worker, status: int) -> None:
        if status == 0:
            return
        code = os.waitstatus_to_exitcode(status)
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        self._deaths.append(f"worker {worker.memory.index} ({worker.role}) was {how}")
        self._stage.run.stop = 1
        linux.compiled.evk_retire(self._stage.run, worker.memory)  # what it cannot do any more

    def deaths(self) -> list[str]:
        return self._deaths

    def _kill(self) -> None:
        for pid in self._running:
            os.kill(pid, signal.SIGKILL)
        for pid in self._running:
            os.waitpid(pid, 0)
        self._running.clear()


@contextmanager
def signals_left_to_main() -> Iterator[None]:
    """Threads started inside inherit these blocked, so that the handler runs where Python runs it: in the main one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _KILLABLE)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(stage: Stage) -> Crew:
    """Starts every worker of `stage`; they begin together.

    Raises:
        OSError: not all could be started; those that were end by themselves.
    """
    return Processes(stage) if stage.plan.processes else Threads(stage)


def wait_until_ended(crew: Crew, within_s: float) -> bool:
    """Whether all workers ended within that many seconds."""
    deadline = time.monotonic() + within_s
    pause = 0.0002
    while crew.alive():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
    return True
