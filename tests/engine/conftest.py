"""`evkit` with cases of the test's own beside the shipped ones, and a look at what it leaves behind."""

import json
import os
import select
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases"
DEADLINE_S = 60
_BOOT = """
import sys, toolkit.cases
toolkit.cases.__path__.append(sys.argv.pop(1))
from toolkit.__main__ import main
sys.exit(main())
"""


@dataclass
class Engine:
    """Runs `evkit` in processes that can be told apart from all others by a mark in their environment."""

    folder: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Starts `evkit ARGUMENTS`, its temporary files in `folder`."""
        marked = os.environ | {"EVKIT_TEST_MARK": self.mark, "TMPDIR": str(self.folder)} | environment
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, str(CASES), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=marked,
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs `evkit ARGUMENTS` to its end, and holds that nothing is left of it."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=DEADLINE_S)
        assert [_status(pid) for pid in self.left_running()] == []
        assert list(self.folder.iterdir()) == []
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def cases(self, *arguments: str) -> dict[str, dict[str, Any]]:
        """The case records of a run, by id."""
        done = self.run("case", "run", "--json", *arguments)
        assert done.stderr == ""
        records = [json.loads(line) for line in done.stdout.splitlines()]
        assert [record["type"] for record in records] == ["run", *["case"] * (len(records) - 2), "summary"]
        return {record["id"]: record for record in records[1:-1]}

    def start_hanging(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts `evkit ARGUMENTS` and returns once two processes of the case `hostile/hang` wait for ever."""
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        try:
            process = self.start(*arguments, HOSTILE_FIFO=str(fifo))
            said = b""
            until = time.monotonic() + DEADLINE_S
            while len(said) < 2:
                assert select.select([reader], [], [], max(0.0, until - time.monotonic()))[0], (
                    "the case never waited"
                )
                with suppress(
                    BlockingIOError
                ):  # the last writer may leave, and another come, after select(2)
                    said += os.read(reader, 2)  # empty for an instant while no writer has it open
        finally:
            os.close(reader)
            fifo.unlink()
        return process

    def left_running(self) -> list[int]:
        """Processes that carry the mark."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    environment = (entry / "environ").read_bytes()
                except OSError:
                    continue
                if f"EVKIT_TEST_MARK={self.mark}".encode() in environment:
                    found.append(int(entry.name))
        return found

    def wait_until_nothing_is_left(self) -> None:
        """Returns when no process carries the mark; fails at the deadline."""
        until = time.monotonic() + DEADLINE_S
        while left := self.left_running():
            assert time.monotonic() < until, f"still running: {left}"


def _status(pid: int) -> str:
    """Who that is, for whoever has to find out why it was left."""
    try:
        return (Path("/proc") / str(pid) / "status").read_text()[:200]
    except OSError:
        return f"{pid}, which has ended by now"


@pytest.fixture
def engine_of_cases(tmp_path: Path) -> Iterator[Engine]:
    """`evkit` with the cases of `tests/engine/cases`."""
    engine = Engine(tmp_path)
    yield engine
    for process in engine.started:
        process.kill()
        process.communicate()
    for pid in engine.left_running():
        os.kill(pid, 9)
