"""What happens on Windows when nobody reads any more: a pipe of our own is told apart from stdout and stderr."""

import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.primitives.named_pipe import NamedPipe
from toolkit.primitives.operation import Operation
from toolkit.scheduler.handle_source import HandleSource


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        (("iocp", "post", "--times", "10k"), ""),
        (("iocp", "post", "--times", "10k"), "1"),
        (("iocp", "demo", "--json"), ""),
        (("tail", "--quiet", "big"), ""),
        (("--help",), ""),
    ],
)
def test_a_reader_that_leaves_early_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], unbuffered: str
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    (tmp_path / "big").write_bytes(b"a line\n" * 20_000)
    command = [sys.executable, "-m", "toolkit", *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(120)) == (b"", 141)


def test_a_refusal_that_nobody_reads_keeps_its_status(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toolkit", "iocp", "read", "no-such-file"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
        assert process.stdout is not None
        assert (process.stdout.read(), process.wait(120)) == (b"", 2)


def test_a_broken_pipe_of_a_call_is_not_taken_for_that_of_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from toolkit.cli import run

    with NamedPipe.create() as pipe:
        HandleSource.open(pipe.name).close()

        def broken(_name: str) -> None:
            pipe.write(Operation(data=b"nobody is there"))

        monkeypatch.setattr(HandleSource, "open", broken)
        assert run._status(run.root(), ["iocp", "read", "log"]) == 99
        said = f"evkit iocp read: WriteFile({pipe.handle:#x}"
    error = capsys.readouterr().err
    assert error.startswith(said)
    assert error.endswith("ERROR_NO_DATA (232)\n")
