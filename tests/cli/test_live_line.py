"""Live lines: one line on a terminal of any width, gone at the end, and never the reason that a run is lost."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios

import pytest

pytestmark = pytest.mark.once

_EVKIT = [sys.executable, "-m", "toolkit"]
_STORM = ["epoll", "stress", "accept-storm", "--duration", "1s", "--json"]


@pytest.mark.parametrize("columns", [10, 40, 200])
@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (_STORM, "epoll/acc"),
        (["case", "run", "eventfd/*", "--json"], "1/"),
        (["serve", "reactor", "--port", "0", "--stats-every", "100ms", "--duration", "1s"], "0."),
        (["load", "127.0.0.1:1", "--duration", "2500ms"], "1."),
        (["serve", "half-sync", "--compare", "--rounds", "1", "--duration", "50ms"], "round 1 o"),
    ],
)
def test_on_a_terminal_it_never_wraps(arguments: list[str], begins: str, columns: int) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    process = subprocess.Popen([*_EVKIT, *arguments], stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    drawn = b""
    try:
        while piece := _read(master):
            drawn += piece
        process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
        os.close(master)
    before, _, after = drawn.decode().replace("\r\n", "\n").partition("\n")
    lines, _, _said = before.rpartition("\r")
    assert any(line.lstrip().startswith(begins) for line in lines.split("\r"))
    assert lines.endswith(" ")  # rubbed out
    assert "\r" not in after
    assert max(map(len, lines.split("\r"))) < columns


def _read(master: int) -> bytes:
    try:
        return os.read(master, 4096)
    except OSError:  # EIO: the last holder of the other end is gone
        return b""


def test_where_stderr_takes_nothing_the_run_goes_on() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*_EVKIT, *_STORM, "--progress"],
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["ok"] is True
