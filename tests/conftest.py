"""What holds for every test, and processes built to be looked at: a script that tells its facts, then holds still."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import toolkit

DEADLINE_S = 60

PRELUDE = """
import array, collections, ctypes, json, os, pty, select, signal, socket, sys, threading

def tell(**facts):
    '''Says the facts, and waits to be told to go on; ends the process when nobody will.'''
    os.write(1, json.dumps(facts).encode() + b"\\n")
    if not os.read(0, 1):
        os._exit(0)

def fork(work=lambda: None):
    '''A child that does `work` and then stays as long as its parent; returns when the work is done.'''
    alive, ending = os.pipe()
    done, say_done = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ending)
        os.close(done)
        work()
        os.close(say_done)
        os.read(alive, 1)
        os._exit(0)
    os.close(alive)
    os.close(say_done)
    os.read(done, 1)
    os.close(done)
    return pid
"""


def pytest_configure() -> None:
    # A shell without job control starts its background jobs with SIGINT ignored, and ignoring survives exec: programs
    # under test would rightly ignore the Ctrl-C that tests send them. A handler is reset to the default instead.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Subject:
    """A running script. `facts` are what it last told."""

    process: subprocess.Popen[bytes]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def pid(self) -> int:
        """Its process number."""
        return self.process.pid

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  JSON
        return self.facts[name]

    def listen(self) -> None:
        """Takes the next facts, within the deadline."""
        assert self.process.stdout is not None
        out = self.process.stdout.fileno()
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([out], [], [], DEADLINE_S)[0], f"nothing told within {DEADLINE_S} s"
            part = os.read(out, 65536)
            assert part, f"ended without telling, status {self.process.wait(DEADLINE_S)}"
            line += part
        self.facts = json.loads(line)

    def go_on(self) -> None:
        """Lets it run to its next `tell`."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.listen()

    def end(self) -> None:
        """Ends it, whatever it does."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(DEADLINE_S)
        self.process.stdout.close()


Start = Callable[..., Subject]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a script in an empty folder and returns when it has told its facts.

    Words after the script go before the interpreter's, such as `unshare --net`.
    """
    started: list[Subject] = []

    def run(script: str, *before: str) -> Subject:
        process = subprocess.Popen(
            [*before, sys.executable, "-c", PRELUDE + script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(Path(toolkit.__file__).parents[1])},
        )
        subject = Subject(process)
        started.append(subject)
        subject.listen()
        return subject

    yield run
    for subject in started:
        subject.end()
