"""`make test` finds what pyenv hides, believes nobody, and cannot be passed by a run that did not happen."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pyenv's shims are shell scripts")

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
OTHER = "3.10" if HERE != "3.10" else "3.11"


@pytest.fixture
def pyenv(tmp_path: Path) -> Path:
    """A pyenv whose shims fail, as those of versions do that are not selected."""
    for version in (HERE, OTHER):
        shim = tmp_path / "shims" / f"python{version}"
        shim.parent.mkdir(exist_ok=True)
        shim.write_text(f"#!/bin/sh\necho 'pyenv: python{version}: command not found' >&2\nexit 127\n")
        shim.chmod(0o755)
    return tmp_path


def install(pyenv: Path, version: str, *, really: str) -> Path:
    """Puts python`version` under the pyenv's versions: a script that is `really` another program."""
    program = pyenv / "versions" / f"{version}.9" / "bin" / f"python{version}"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {really} "$@"\n')
    program.chmod(0o755)
    return program


def find(checkout: Path, pyenv: Path, version: str) -> str | None:
    """What checks/interpreters.py finds when PATH has the shims alone."""
    wanted = tuple(map(int, version.split(".")))
    # base_prefix is left out: the interpreter that runs this may stand beside others
    program = f"import json, sys, interpreters; sys.base_prefix = '/'; print(json.dumps(interpreters.find({wanted})))"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=checkout / "checks",
        env={"PATH": str(pyenv / "shims"), "HOME": str(pyenv)},
        capture_output=True,
        text=True,
        timeout=110,
        check=True,
    )
    found: str | None = json.loads(ended.stdout)
    return found


def test_an_interpreter_behind_a_shim_is_found(checkout: Path, pyenv: Path) -> None:
    install(pyenv, HERE, really=sys.executable)
    found = find(checkout, pyenv, HERE)
    assert found is not None
    assert Path(found).samefile(sys.executable)


def test_a_shim_alone_is_no_interpreter(checkout: Path, pyenv: Path) -> None:
    assert find(checkout, pyenv, HERE) is None


def test_an_interpreter_of_another_version_is_not_taken_for_one(checkout: Path, pyenv: Path) -> None:
    install(pyenv, OTHER, really=sys.executable)
    assert find(checkout, pyenv, OTHER) is None


def everywhere(
    checkout: Path, *arguments: str, program: str | None = None
) -> subprocess.CompletedProcess[str]:
    command = (
        [sys.executable, "everywhere.py", *arguments] if program is None else [sys.executable, "-c", program]
    )
    return subprocess.run(
        command, cwd=checkout / "checks", capture_output=True, text=True, timeout=120, check=False
    )


def test_an_unknown_environment_is_named(checkout: Path) -> None:
    ended = everywhere(checkout, "py27")
    assert ended.returncode == 2
    assert "no such environment: py27" in ended.stderr


RAN = {"result": {"success": True, "duration": 1.0}, "installpkg": {"sha256": "1"}}
OTHER_WHEEL = {**RAN, "installpkg": {"sha256": "2"}}


@pytest.mark.parametrize(
    ("reports", "complaint"),
    [
        ({"py310": RAN}, "py311 did not run"),
        ({"py310": RAN, "py311": {}}, "py311 did not run"),
        ({"py310": RAN, "py311": RAN}, "py311 ran no test"),
        ({"py310": RAN, "py311": OTHER_WHEEL}, "the interpreters did not all install one wheel"),
    ],
)
def test_what_did_not_happen_is_no_pass(checkout: Path, reports: dict[str, object], complaint: str) -> None:
    program = f"""
import sys, everywhere
everywhere._counts = lambda name: {{"passed": int(name == "py310"), "failed": 0, "skipped": 0}}
sys.exit(everywhere._verdict(["py310", "py311"], {reports!r}))
"""
    ended = everywhere(checkout, program=program)
    assert ended.returncode == 1
    assert complaint in ended.stderr.splitlines()
