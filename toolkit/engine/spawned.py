"""Windows: each variant in a fresh process, in a job object whose messages arrive at one completion port.

A job's processes end together: whatever the case started is ended with it, and what it left running is noticed,
because the message "no process is left" does not come.
"""

import subprocess
import sys
import tempfile
import time
from itertools import count
from math import ceil
from pathlib import Path
from shutil import rmtree

from toolkit.engine.channel import Received
from toolkit.engine.ending import OUTPUT_SHOWN, Ended, outcome_of
from toolkit.engine.plan import Job, Plan
from toolkit.engine.verdict import Outcome
from toolkit.lab.base import TIME_SCALE
from toolkit.primitives.iocp import CompletionPort, Packet
from toolkit.primitives.job import Job as ProcessGroup
from toolkit.primitives.job import JobMessage, Process

_LOOK_FOR_CTRL_C_MS = 200  # Python raises KeyboardInterrupt only when a wait ends
_GRACE_S = 2.0  # from the end of the case's process to the end of what it started
_START_S = 20.0  # an interpreter's start is not the case's time


class Spawner:
    """The port all slots of a run share, and the keys of their jobs: a key is never used twice."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.port = CompletionPort()
        self.keys = count(1)

    def slot(self) -> "SpawnedSlot":
        """One more place to run a job."""
        return SpawnedSlot(self)


class SpawnedSlot:
    """Runs one job at a time, each in a process of its own."""

    def __init__(self, spawner: Spawner) -> None:
        self.spawner = spawner
        self.job: Job | None = None
        self.running: _Running | None = None

    def give(self, job: Job) -> None:
        """Starts a job; the slot must have none."""
        self.job = job
        self.running = _Running(job, self.spawner)

    def take(self) -> tuple[Job, Outcome]:
        """The job and its outcome, once it is finished."""
        job, running = self.job, self.running
        if job is None or running is None:
            raise RuntimeError("this slot has no job")
        self.job = self.running = None
        return job, running.outcome()

    def close(self) -> None:
        """Ends the process and all that its case started."""
        if self.running is not None:
            self.running.end()
            self.running = None


class _Running:
    """A case's process, from its start to its outcome."""

    def __init__(self, job: Job, spawner: Spawner) -> None:
        self._job = job
        self._started_ns = time.monotonic_ns()
        self.key = next(spawner.keys)
        self.deadline = time.monotonic() + spawner.plan.timeout_s + _START_S * TIME_SCALE
        self._exited = False
        self.finished = False
        self._left_behind: list[str] = []
        self._folder = Path(tempfile.mkdtemp(prefix="evkit-"))
        (self._folder / "case").mkdir()
        self._messages = self._folder / "messages.jsonl"
        self._group = ProcessGroup()
        self._group.report_to(spawner.port, self.key)
        self._timed_out = False
        plan = spawner.plan
        words = (job.case.id, job.variant or "", str(job.iteration), plan.seed_of(job), str(int(plan.trace)))
        command = [sys.executable, "-m", "toolkit.engine.spawned_case", *words]
        command += [str(self._messages), str(self._folder / "case"), str(plan.timeout_s)]
        with (self._folder / "output.txt").open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603  this interpreter and our own words
                command, stdin=subprocess.PIPE, stdout=output, stderr=output
            )
        with Process(self._process.pid) as handle:
            self._group.assign(handle)
        assert self._process.stdin is not None
        self._process.stdin.close()  # the process waits for this: nothing it does escapes the job

    def note(self, packet: Packet) -> None:
        """A message about the job's processes."""
        if packet.bytes in (JobMessage.EXIT_PROCESS, JobMessage.ABNORMAL_EXIT_PROCESS):
            if packet.overlapped == self._process.pid:
                self._exited = True
                self.deadline = time.monotonic() + _GRACE_S * TIME_SCALE
        elif packet.bytes == JobMessage.ACTIVE_PROCESS_ZERO:
            self.finished = True

    def expire(self) -> None:
        """The deadline passed: of the case, or of what it left behind."""
        if self._exited:
            self._left_behind.append("a process that the case started")
        else:
            self._timed_out = True
        self.finished = True

    def end(self) -> None:
        """Ends every process of the job and forgets its folder."""
        self._group.terminate()
        self._process.wait(10)
        self._group.close()
        rmtree(self._folder, ignore_errors=True)

    def outcome(self) -> Outcome:
        """What it said and how it ended; nothing is left running."""
        duration_ns = time.monotonic_ns() - self._started_ns
        exit_code = None if self._timed_out else self._process.wait(10)
        if self._timed_out or self._left_behind:
            self._group.terminate()
            self._process.wait(10)
        received = Received()
        if self._messages.exists():
            for line in self._messages.read_bytes().splitlines():
                received.take(line)
        output = (
            (self._folder / "output.txt").read_bytes()[-OUTPUT_SHOWN:].decode("utf-8", "backslashreplace")
        )
        self.end()
        ended = Ended(received, exit_code, self._left_behind)
        return outcome_of(self._job, ended, " ".join(output.split()), duration_ns)


def ready(busy: list[SpawnedSlot]) -> list[SpawnedSlot]:
    """Waits until at least one has finished or missed its deadline: those that have."""
    running = {slot.running.key: (slot, slot.running) for slot in busy if slot.running is not None}
    port = busy[0].spawner.port
    while True:
        now = time.monotonic()
        for _, one in running.values():
            if not one.finished and one.deadline <= now:
                one.expire()
        done = [slot for slot, one in running.values() if one.finished]
        if done:
            return done
        nearest = min(one.deadline for _, one in running.values())
        wait_ms = min(ceil((nearest - now) * 1000), _LOOK_FOR_CTRL_C_MS)
        for packet in port.wait_many(64, wait_ms):
            if packet.key in running:
                running[packet.key][1].note(packet)
