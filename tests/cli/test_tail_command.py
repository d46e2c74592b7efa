"""`evkit tail` in a real shell: fifos with real writers, signals from outside."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from toolkit.scheduler.exit_ways import WAYS

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

pytestmark = pytest.mark.once

DEADLINE_S = 60


def stdout_of(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


def stderr_of(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stderr is not None
    return process.stderr


def text_of(process: subprocess.Popen[str]) -> tuple[str, str]:
    return process.communicate(timeout=DEADLINE_S)


def make_fifos(folder: Path, count: int) -> list[Path]:
    fifos = [folder / f"f{number}" for number in range(count)]
    for fifo in fifos:
        os.mkfifo(fifo)
    return fifos


def test_64_fifos_at_once_each_line_whole_and_in_its_order(shell: "Shell") -> None:
    fifos = make_fifos(shell.folder, 64)
    process = shell.start_ready("exec evkit tail f* --ready-fd $READY")
    with ExitStack() as stack:
        writers = [stack.enter_context(open(fifo, "wb", buffering=0)) for fifo in fifos]
        for number in range(20):
            for index, writer in enumerate(writers):
                writer.write(b"%d of %d\n" % (number, index))
    out, _ = text_of(process)
    assert process.returncode == 0
    lines = [line.split(": ") for line in out.splitlines()]
    for index, fifo in enumerate(fifos):
        assert [text for name, text in lines if name == fifo.name] == [f"{n} of {index}" for n in range(20)]
    assert len(lines) == 64 * 20


def test_a_line_is_printed_while_its_writer_is_still_there(shell: "Shell") -> None:
    [fifo] = make_fifos(shell.folder, 1)
    process = shell.start_ready("exec evkit tail f0 --ready-fd $READY")
    with open(fifo, "wb", buffering=0) as writer:
        writer.write(b"first\nsecond, not yet whole")
        assert stdout_of(process).readline() == "first\n"
        writer.write(b", now\n")
        assert stdout_of(process).readline() == "second, not yet whole, now\n"
    assert text_of(process)[0] == ""
    assert process.returncode == 0


def test_a_fifo_without_a_writer_is_waited_for(shell: "Shell") -> None:
    [fifo] = make_fifos(shell.folder, 1)
    process = shell.start_ready("exec evkit tail f0 --ready-fd $READY")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)  # reading 0 bytes before the first writer is no end of file
    fifo.write_bytes(b"came\n")
    assert text_of(process)[0] == "came\n"
    assert process.returncode == 0


def test_with_follow_the_next_writer_is_waited_for_and_nothing_is_lost(shell: "Shell") -> None:
    [fifo] = make_fifos(shell.folder, 1)
    process = shell.start_ready("exec evkit tail --follow f0 --ready-fd $READY")
    for number in range(50):
        fifo.write_bytes(b"writer %d\n" % number)  # opens, writes, closes
    for number in range(50):
        assert stdout_of(process).readline() == f"writer {number}\n"
    process.send_signal(signal.SIGTERM)
    assert text_of(process)[0] == ""
    assert process.returncode == 143


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_c_ends_it_whole_whatever_the_way(shell: "Shell", way: str) -> None:
    fifos = make_fifos(shell.folder, 2)
    process = shell.start_ready(f"exec evkit tail f0 f1 --exit-by {way} --ready-fd $READY")
    with open(fifos[0], "wb", buffering=0) as first, open(fifos[1], "wb", buffering=0) as second:
        second.write(b"unfinished")
        first.write(b"whole\n")
        assert stdout_of(process).readline() == "f0: whole\n"
        process.send_signal(signal.SIGINT)
        out, err = text_of(process)
    assert out in ("f1: unfinished\n", "")  # "" when the signal came before that event was handled
    assert process.returncode == 130
    assert err.splitlines()[-1] == "signal 2 detected, exit..."
    assert err.startswith("register signal 2 as ")


def unread(pipe_end: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe_end, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_second_ctrl_c_ends_at_once_though_nobody_reads_the_output(shell: "Shell") -> None:
    [fifo] = make_fifos(shell.folder, 1)
    reader, writer = os.pipe()
    process = shell.start_ready("exec evkit tail f0 --ready-fd $READY", stdout=writer)
    os.close(writer)
    with open(fifo, "wb", buffering=0) as source:
        source.write(b"x" * 60_000 + b"\n")
        source.write(b"y" * 60_000 + b"\n")  # together beyond what the pipe to nobody holds (64 KiB)
        end = time.monotonic() + DEADLINE_S
        while unread(source.fileno()) or unread(reader) < 60_000:
            assert time.monotonic() < end
            time.sleep(0.01)  # a pipe's fill level gives no event: the next look asks again
        process.send_signal(signal.SIGINT)
        assert stderr_of(process).readline().startswith("register")
        assert "signal 2 detected, exit...\n" in iter(stderr_of(process).readline, "")
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)  # it writes what was gathered, and nobody reads
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == -signal.SIGINT
    os.close(reader)


def test_a_reader_that_left_ends_it_quietly(shell: "Shell") -> None:
    (shell.folder / "long").write_text("line\n" * 100_000)
    result = shell.run("evkit tail long 2>errors | head -1; cat errors >&2")
    assert result.stdout == "line\n"
    assert [line for line in result.stderr.splitlines() if not line.startswith("register")] == []


def test_what_cannot_be_tailed_is_said_in_one_line(shell: "Shell") -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(shell.folder / "sock"))
        for name, words in (
            (".", "is a directory; tail reads files, fifos and devices"),
            ("missing", "No such file or directory"),
            ("sock", "is a socket"),
        ):
            result = shell.run(f"evkit tail {name}")
            assert (result.returncode, result.stdout) == (2, ""), name
            assert len(result.stderr.splitlines()) == 1
            assert words in result.stderr
    result = shell.run("evkit tail x --exit-by magic")
    assert result.returncode == 2
    assert "signalfd" in result.stderr


def test_time_limit_and_json(shell: "Shell") -> None:
    make_fifos(shell.folder, 1)
    assert shell.run("evkit tail f0 --timeout 200ms").returncode == 124
    result = shell.run(r"printf 'a\377b\nlast' | evkit tail - --json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"type": "event", "target": "-", "line": "a\ufffdb"},
        {"type": "event", "target": "-", "line": "last"},
    ]
