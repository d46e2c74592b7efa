"""The live line of `evkit ... stress`: one line on a terminal of any width, and never the reason that a run is lost."""

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

_COMMAND = [sys.executable, "-m", "toolkit", "epoll", "stress", "accept-storm", "--duration", "1s", "--json"]


@pytest.mark.parametrize("columns", [10, 40, 200])
def test_on_a_terminal_it_never_wraps(columns: int) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    process = subprocess.Popen(_COMMAND, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    drawn = b""
    try:
        while piece := _read(master):
            drawn += piece
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(master)
    lines = drawn.decode().split("\r")
    assert any(line.startswith("epoll/acc") for line in lines)
    assert "\n" not in drawn.decode()
    assert max(map(len, lines)) < columns


def _read(master: int) -> bytes:
    try:
        return os.read(master, 4096)
    except OSError:  # EIO: the last holder of the other end is gone
        return b""


def test_where_stderr_takes_nothing_the_run_goes_on() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*_COMMAND, "--progress"], stdout=subprocess.PIPE, stderr=full, text=True, timeout=60, check=False
        )
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["ok"] is True
