"""Shell completion, installed into a fresh home and used as the shell uses it."""

import shutil
from typing import TYPE_CHECKING

import pytest

pytestmark = pytest.mark.once

if TYPE_CHECKING:
    from tests.cli.conftest import Shell


def test_bash(shell: "Shell") -> None:
    home = shell.environment | {"HOME": str(shell.folder)}
    installed = shell.run("bash -c 'evkit --install-completion; exit $?'", env=home)
    assert (installed.returncode, installed.stderr) == (0, "")
    assert "evkit.sh" in (shell.folder / ".bashrc").read_text()
    complete = '_evkit_completion evkit; echo "${COMPREPLY[@]}"'
    script = f"""
    . ~/.bash_completions/evkit.sh
    COMP_WORDS=(evkit ev) COMP_CWORD=1; {complete}
    COMP_WORDS=(evkit eventfd re) COMP_CWORD=2; {complete}
    COMP_WORDS=(evkit eventfd add --ti) COMP_CWORD=3; {complete}
    """
    done = shell.run("exec bash", env=home | {"BASH_ENV": "/dev/null"}, stdin=_as_file(shell, script))
    assert done.stdout.splitlines() == ["eventfd", "read", "--timeout"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh(shell: "Shell") -> None:
    home = shell.environment | {"HOME": str(shell.folder)}
    installed = shell.run("zsh -f -c 'evkit --install-completion; exit $?'", env=home)
    assert (installed.returncode, installed.stderr) == (0, "")
    assert "#compdef evkit" in (shell.folder / ".zfunc" / "_evkit").read_text()
    done = shell.run(
        "evkit",
        env=home | {"_EVKIT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "evkit eventfd re"},
    )
    assert '"read":"Take an inherited eventfd' in done.stdout


def _as_file(shell: "Shell", text: str) -> object:
    path = shell.folder / "script"
    path.write_text(text)
    return path.open()
