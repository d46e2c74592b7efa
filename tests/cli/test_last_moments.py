"""What happens when all is said: a signal while the interpreter goes away, a refusal that nobody can read."""

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell


# Python runs a handler between two instructions, and CPython 3.10 only at a call or a jump backwards.
_WITH_A_SIGNAL_AT_EXIT = """
import atexit, signal, sys
{before}
from toolkit.cli.run import run
def at_exit():
    signal.raise_signal({number})
    for _ in range(3):
        pass
atexit.register(at_exit)
sys.exit(run(["map", "--json"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_end_ends_the_process_without_a_word(number: signal.Signals) -> None:
    code = _WITH_A_SIGNAL_AT_EXIT.format(number=number.value, before="")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stderr, done.returncode) == ("", 128 + number)
    assert done.stdout.endswith("}\n")


def test_an_ignored_signal_stays_ignored_to_the_end() -> None:
    code = _WITH_A_SIGNAL_AT_EXIT.format(number=2, before="signal.signal(signal.SIGINT, signal.SIG_IGN)")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_closed_stderr_does_not_change_the_status(shell: "Shell") -> None:
    done = shell.run("mkfifo f; evkit tail --quiet --ready-fd 2 --timeout 100ms f 3<>f")
    assert (done.stdout, done.stderr, done.returncode) == ("", "\n", 124)


def test_nobody_behind_stderr_does_not_change_the_status() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "toolkit", "no-such-command"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, timeout=60, check=False)
    os.close(writer)
    assert (done.stdout, done.returncode) == (b"", 2)
