"""Finds the interpreters the suite is for, wherever they were installed.

A pyenv shim answers on PATH for versions that are not selected, and only fails when run. So each candidate is run
and asked who it is, and pyenv's own folders are looked through beside PATH.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_ASK = "import sys; print(sys.implementation.name, *sys.version_info[:2]); print(sys.executable)"


def find(version: tuple[int, int]) -> str | None:
    """The path of a working CPython of `version`, (3, 10) say; None when there is none."""
    name = f"python{version[0]}.{version[1]}"
    wanted = ["cpython", *map(str, version)]
    for folder in _folders():
        candidate = folder / name
        if candidate.exists() and (answer := _ask(candidate)) and answer[0].split() == wanted:
            return answer[1]
    return None


def _folders() -> Iterator[Path]:
    on_path = [Path(entry) for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if entry]
    yield from (folder for folder in on_path if folder.name != "shims")
    for versions in _pyenv_versions(on_path):
        yield from sorted(path / "bin" for path in versions.glob("*"))


def _pyenv_versions(on_path: list[Path]) -> Iterator[Path]:
    if root := os.environ.get("PYENV_ROOT"):
        yield Path(root, "versions")
    yield from (folder.parent / "versions" for folder in on_path if folder.name == "shims")
    if (running := Path(sys.base_prefix).parent).name == "versions":
        yield running
    yield Path.home() / ".pyenv" / "versions"


def _ask(candidate: Path) -> list[str] | None:
    try:
        run = subprocess.run(
            [candidate, "-c", _ASK],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout.splitlines()
