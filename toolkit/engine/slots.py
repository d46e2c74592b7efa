"""Forked runners: each runs one job at a time and is its own sub-reaper, so that orphans are attributed exactly."""

import contextlib
import os
import pickle
import select
import shutil
import signal
import socket
import struct
import tempfile
from pathlib import Path
from typing import Any

from toolkit.engine.forked import run_job
from toolkit.engine.keeper import be_a_keeper
from toolkit.engine.plan import Job, Plan
from toolkit.engine.verdict import Outcome
from toolkit.primitives.deaf_fork import fork_deaf
from toolkit.records import Status

_LENGTH = struct.Struct("!I")


class Slot:
    """A runner process, and the job it has."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.job: Job | None = None
        self._start()

    def _start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="evkit-"))
        self._socket, theirs = socket.socketpair()
        self.pid = fork_deaf()
        if self.pid == 0:
            self._socket.close()
            be_a_keeper(lambda: _be_a_runner(theirs, self._plan, self._folder), theirs, self._folder)
        theirs.close()

    def fileno(self) -> int:
        """Readable when the outcome is there."""
        return self._socket.fileno()

    def give(self, job: Job) -> None:
        """Starts a job; the slot must have none."""
        self.job = job
        _send(self._socket, (job.case.id, job.variant, job.iteration))

    def take(self) -> tuple[Job, Outcome]:
        """The job and its outcome. A runner that a case managed to kill is replaced."""
        job, self.job = self.job, None
        if job is None:
            raise RuntimeError("this slot has no job")
        try:
            outcome = _receive(self._socket)
        except (EOFError, ConnectionError):
            self.close()
            self._start()
            return job, Outcome(job.variant, Status.ERROR, "the runner was killed from within the case", 0)
        if not isinstance(outcome, Outcome):
            raise TypeError(f"a runner sent {type(outcome).__name__}")
        return job, outcome

    def close(self) -> None:
        """Ends the runner and all that its case started."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        self._socket.close()
        os.waitpid(self.pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)


def ready(slots: list[Slot]) -> list[Slot]:
    """Waits until at least one outcome is there: the slots that have theirs."""
    waiting = select.poll()
    by_number = {slot.fileno(): slot for slot in slots}
    for number in by_number:
        waiting.register(number, select.POLLIN)
    return [by_number[number] for number, _ in waiting.poll()]


def _be_a_runner(connection: socket.socket, plan: Plan, folder: Path) -> None:
    """Takes jobs until the other side closes or SIGTERM comes."""
    cases = {case.id: case for case in plan.cases}
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            case_id, variant, iteration = _receive(connection)
            _send(connection, run_job(Job(cases[case_id], variant, iteration), plan, folder))


def _send(connection: socket.socket, value: object) -> None:
    data = pickle.dumps(value)
    connection.sendall(_LENGTH.pack(len(data)) + data)


def _receive(connection: socket.socket) -> Any:  # noqa: ANN401  what the other side pickled
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    return pickle.loads(_exactly(connection, length))  # noqa: S301  from our own fork


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)
