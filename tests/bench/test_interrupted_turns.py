"""A signal in the middle of a turn with several threads: they end, and what they use is closed after them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

_FOR_EVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from contextlib import ExitStack
from toolkit.bench.works import contestants
work, who = sys.argv[1:]
with ExitStack() as stack:
    [contestant] = [each for each in contestants(stack, work, None) if each.name == who]
    try:
        contestant.run(10**9)
    except KeyboardInterrupt:
        print("interrupted")
"""
_DEADLINE_S = 30


@pytest.mark.parametrize(
    ("work", "who"),
    [
        ("ping-pong", "loop"),
        ("ping-pong", "evkit"),
        ("ping-pong", "stdlib"),
        ("ctl-threads", "loop"),
        ("wait-threads", "loop"),
    ],
)
def test_its_threads_end_with_it(work: str, who: str) -> None:
    command = [sys.executable, "-c", _FOR_EVER, work, who]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        _wait_for_a_second_thread(process.pid)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=_DEADLINE_S)
    finally:
        process.kill()
        process.communicate(timeout=_DEADLINE_S)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


def _wait_for_a_second_thread(pid: int) -> None:
    deadline = time.monotonic() + _DEADLINE_S
    while len(list(Path(f"/proc/{pid}/task").iterdir())) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.005)  # a thread that starts gives no event: the next look asks again
