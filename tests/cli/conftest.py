"""The real command in a real shell: `evkit` on PATH, an empty folder, and nothing left running afterwards."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

import toolkit

DEADLINE_S = 60
_SCRIPT = """#!{python}
import sys
sys.path.insert(0, {home!r})
from toolkit.__main__ import main
sys.exit(main())
"""


@dataclass
class Shell:
    """Runs scripts with sh(1) in a folder of their own, each in a process group that is ended with the test."""

    folder: Path
    environment: dict[str, str]
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def run(self, script: str, **settings: object) -> subprocess.CompletedProcess[str]:
        """Runs `script` to its end and returns its status and what it wrote."""
        process = self.start(script, **settings)
        try:
            out, err = process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            pytest.fail(f"still running after {DEADLINE_S} s: {script}\nstdout: {out}\nstderr: {err}")
        return subprocess.CompletedProcess(script, process.returncode, out, err)

    def start(self, script: str, **settings: object) -> subprocess.Popen[str]:
        """Starts `script`, whose stdin is empty unless settings say otherwise."""
        options: dict[str, object] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "cwd": self.folder,
            "env": self.environment,
            "start_new_session": True,
        }
        process = subprocess.Popen(["sh", "-c", script], **(options | settings))  # type: ignore[call-overload]
        self.started.append(process)
        return process

    def start_ready(self, script: str, **settings: object) -> subprocess.Popen[str]:
        """Starts `script`, which passes on `--ready-fd $READY`, and returns when that has said so."""
        reader, writer = os.pipe()
        try:
            options: dict[str, object] = {
                "pass_fds": [writer],
                "env": self.environment | {"READY": str(writer)},
            }
            process = self.start(script, **(options | settings))
        finally:
            os.close(writer)
        try:
            assert select.select([reader], [], [], DEADLINE_S)[0], f"not ready after {DEADLINE_S} s: {script}"
            said = os.read(reader, 2)
        finally:
            os.close(reader)
        if said != b"\n":
            pytest.fail(f"never ready, said {said!r}: {script}\n{process.communicate(timeout=DEADLINE_S)}")
        return process

    def end_all(self) -> None:
        """Kills what a failed test left behind."""
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((files("toolkit.report") / "schema.json").read_text()))


def valid_records(output: str) -> list[dict[str, object]]:
    """Each line of `output` as a record that keeps the shipped schema, `type` first."""
    validator = _validator()
    records = [json.loads(line) for line in output.splitlines()]
    for record in records:
        assert next(iter(record)) == "type"
        validator.validate(record)
    return records


@pytest.fixture(name="valid_records")
def _valid_records() -> "Callable[[str], list[dict[str, object]]]":
    return valid_records


@pytest.fixture(scope="session")
def evkit_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `evkit` in it: the installed command, or one that runs the checkout under test."""
    home = Path(toolkit.__file__).parents[1]
    installed = Path(sys.executable).with_name("evkit")
    if home.name == "site-packages" and installed.exists():
        return installed.parent
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "evkit"
    script.write_text(_SCRIPT.format(python=sys.executable, home=str(home)))
    script.chmod(0o755)
    return folder


@pytest.fixture
def shell(evkit_folder: Path, tmp_path: Path) -> Iterator[Shell]:
    """A shell in an empty folder, with the command under test first on PATH and no terminal's settings."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("EVENTFD", "NO_COLOR", "COLUMNS", "PYTHONPATH", "EVKIT_DEBUG")
    }
    environment["PATH"] = f"{evkit_folder}{os.pathsep}{environment['PATH']}"
    found = Shell(tmp_path, environment)
    assert shutil.which("evkit", path=environment["PATH"]) == str(evkit_folder / "evkit")
    yield found
    found.end_all()


@pytest.fixture
def refused(shell: Shell) -> Callable[[str, int], str]:
    """Runs a line that must be refused with that status: nothing on stdout, one line on stderr, which is returned."""

    def run(script: str, status: int = 2) -> str:
        done = shell.run(script)
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1, done.stderr
        assert done.returncode == status, done.stderr
        return done.stderr.rstrip("\n")

    return run
