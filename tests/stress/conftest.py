"""Runs `evkit ... stress` as a user does, also on a build whose hot loops go wrong on purpose."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

VALIDATOR = jsonschema.Draft202012Validator(json.loads((files("toolkit.report") / "schema.json").read_text()))
_CDEFS = Path(__file__).resolve().parents[2] / "cdefs"
_BUILD = """
import sys
sys.path.insert(0, sys.argv[1])
from build_ffi import linux_builder
print(linux_builder(planted=True).compile(tmpdir=".", verbose=False))
"""
_WITH_PLANTED_LOOPS = """
import importlib.util, sys
import toolkit.ffi
spec = importlib.util.spec_from_file_location("toolkit.ffi._linux", sys.argv.pop(1))
module = importlib.util.module_from_spec(spec)
sys.modules["toolkit.ffi._linux"] = toolkit.ffi._linux = module
spec.loader.exec_module(module)
from toolkit.__main__ import main
sys.exit(main())
"""


@dataclass(frozen=True)
class Ran:
    """A finished command: exit status, records of its JSON Lines, stderr."""

    status: int
    records: list[dict[str, Any]]
    stderr: str

    @property
    def stress(self) -> dict[str, Any]:
        """Its only stress record."""
        [record] = [record for record in self.records if record["type"] == "stress"]
        return record

    def broken(self) -> set[str]:
        """The names of the invariants that did not hold."""
        return {invariant["name"] for invariant in self.stress["invariants"] if not invariant["ok"]}


Stress = Callable[..., Ran]


def run(command: list[str], environment: dict[str, str] | None = None) -> Ran:
    """Runs it with --json and reads what it wrote."""
    done = subprocess.run(
        [*command, "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | (environment or {}),
        check=False,
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    for record in records:
        VALIDATOR.validate(record)
    return Ran(done.returncode, records, done.stderr)


@pytest.fixture
def stress() -> Stress:
    """`stress("eventfd", "ping", "--ops", "1k")`: the command, finished."""

    def call(primitive: str, *arguments: str) -> Ran:
        return run([sys.executable, "-m", "toolkit", primitive, "stress", *arguments])

    return call


@pytest.fixture(scope="session")
def planted_module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled bindings with faults that EVK_PLANT switches on; those who test side by side build them once."""
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        pytest.skip("no C compiler here")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / "planted"
    folder.mkdir(exist_ok=True)
    with open(folder / "path", "a+") as shared:
        fcntl.flock(shared, fcntl.LOCK_EX)
        shared.seek(0)
        path = shared.read()
        if not path:
            path = _build_planted(folder)
            shared.write(path)
    return Path(path)


def _build_planted(folder: Path) -> str:
    command = [sys.executable, "-c", _BUILD, str(_CDEFS)]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=110, check=False)
    assert built.returncode == 0, built.stderr
    return built.stdout.splitlines()[-1]


@pytest.fixture
def planted(planted_module: Path) -> Stress:
    """As `stress`, with a fault such as `write:loss:1000` as first argument."""

    def call(fault: str, primitive: str, *arguments: str) -> Ran:
        command = [sys.executable, "-c", _WITH_PLANTED_LOOPS, str(planted_module), primitive, "stress"]
        return run([*command, *arguments], {"EVK_PLANT": fault})

    return call
