"""Forked runners: each runs one job at a time and is its own sub-reaper, so that orphans are attributed exactly."""

import contextlib
import os
import pickle
import signal
import socket
import struct
from typing import Any

from toolkit.engine import orphans
from toolkit.engine.forked import run_job
from toolkit.engine.plan import Job, Plan
from toolkit.engine.verdict import Outcome
from toolkit.records import Status

_LENGTH = struct.Struct("!I")


class Slot:
    """A runner process, and the job it has."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.job: Job | None = None
        self._start()

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self._socket.close()
            _be_a_runner(theirs, self._plan)
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


class _StopRunner(BaseException):
    """SIGTERM: the run was interrupted."""


def _stop(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _StopRunner


def _be_a_runner(connection: socket.socket, plan: Plan) -> None:
    """Never returns: takes jobs until the other side closes."""
    from toolkit.ffi.linux import compiled

    cases = {case.id: case for case in plan.cases}
    try:
        os.setpgid(0, 0)  # Ctrl-C goes to the foreground group; the parent decides what becomes of us
        compiled.evk_prctl(compiled.PR_SET_PDEATHSIG, signal.SIGTERM)
        compiled.evk_prctl(compiled.PR_SET_CHILD_SUBREAPER, 1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, _stop)
        while True:
            case_id, variant, iteration = _receive(connection)
            _send(connection, run_job(Job(cases[case_id], variant, iteration), plan))
    except (_StopRunner, EOFError, ConnectionError):
        orphans.sweep()
    finally:
        os._exit(0)


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
