"""The sdist: whole, clean, and enough by itself to build a working installation."""

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]

ROUND_TRIP = """
import sys
from toolkit.primitives.eventfd import EventFd
with EventFd() as counter:
    counter.write(3)
    print(counter.read(), sys.modules["toolkit"].__file__)
"""


@pytest.fixture(scope="module")
def sdist(build: Callable[..., Path]) -> Path:
    return build("--sdist")


@pytest.fixture(scope="module")
def packed(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive if member.isfile()}


def test_it_holds_every_source_and_nothing_that_was_built(packed: set[str], sources: Path) -> None:
    wanted = {
        str(path.relative_to(sources))
        for path in sources.rglob("*")
        if path.is_file() and "egg-info" not in str(path)
    }
    assert wanted - packed == set()
    made = [name for name in packed if re.search(r"\.(so|o|pyc|pyd)$|__pycache__|_linux\.c$", name)]
    assert made == []


def test_it_can_be_checked_where_it_is_unpacked(packed: set[str]) -> None:
    assert {
        "tox.ini",
        "Makefile",
        "checks/everywhere.py",
        "tests/build/test_sdist.py",
        "cdefs/build_ffi.py",
    } <= packed


@pytest.mark.skipif(sys.platform != "linux", reason="the compiled module is for Linux")
@pytest.mark.timeout(240)
def test_pip_builds_and_runs_it_with_an_empty_home_and_no_cache(
    sdist: Path, run: Callable[..., Done], tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    env = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.endswith("_proxy")
    }
    env |= {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    python = tmp_path / "venv" / "bin" / "python"
    made = run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path, env=env)
    assert made.returncode == 0, made.stderr
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
    )  # ours: a pip of its own would take as long as the build
    installed = run(*pip, "install", "--no-cache-dir", sdist, cwd=tmp_path, env=env, timeout=200)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    counted = run(python, "-c", ROUND_TRIP, cwd=tmp_path, env=env)
    assert counted.stdout.split()[0] == "3", counted.stderr
    assert Path(counted.stdout.split()[1]).is_relative_to(tmp_path / "venv")
