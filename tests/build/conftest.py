"""What the build tests share: a copy of the checkout's sources, and one wheel built from it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = (
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile"),
    *(
        "pyproject.toml",
        "setup.py",
        "tox.ini",
        "mypy-win32.ini",
        "cdefs",
        "checks",
        "docs",
        "tests",
        "toolkit",
    ),
)
BUILT = shutil.ignore_patterns("__pycache__", "*.so", "*.o", "_linux.c", "*.egg-info")

Done = subprocess.CompletedProcess[str]


def _run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 100) -> Done:
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def run() -> Callable[..., Done]:
    """`run(*command, cwd=..., env=..., timeout=...)`: one command without standard input, its output kept."""
    return _run


@pytest.fixture(scope="session")
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what an sdist is made from, without anything that was built in place."""
    copy = tmp_path_factory.mktemp("sources") / "evkit"
    copy.mkdir()
    for name in SOURCES:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=BUILT)
        elif source.exists():
            shutil.copy(source, copy / name)
    return copy


@pytest.fixture(scope="session")
def build(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`build("--wheel", EVKIT_TARGET=...)` makes a distribution without isolation and returns the one file made."""

    def build(kind: str, **variables: str) -> Path:
        folder = tmp_path_factory.mktemp("dist")
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}  # the copy stays as it is
        done = _run(
            sys.executable, "-m", "build", "--no-isolation", kind, "-o", folder, sources, cwd=folder, env=env
        )
        assert done.returncode == 0, done.stdout + done.stderr
        [made] = folder.iterdir()
        return made

    return build


@pytest.fixture(scope="session")
def linux_wheel(build: Callable[..., Path]) -> Path:
    if sys.platform != "linux":
        pytest.skip("the compiled wheel is for Linux")
    return build("--wheel")
