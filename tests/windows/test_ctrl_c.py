"""Ctrl-C ends what waits on a port, with the status that shells know."""

import subprocess
import sys

_SCRIPT = """
import subprocess, sys
from toolkit.ffi import windows
windows.lib.SetConsoleCtrlHandler(windows.ffi.NULL, False)  # our starter may ignore it, and children inherit that
child = subprocess.Popen([sys.executable, "-m", "toolkit", *sys.argv[1:], "--ready-fd", "2"], stderr=subprocess.PIPE)
try:
    child.stderr.readline()  # it waits now
    windows.lib.GenerateConsoleCtrlEvent(0, 0)  # to everybody in this console, us too
    status = child.wait(60)
except KeyboardInterrupt:
    status = child.wait(60)
print(status)
"""


def _status_after_ctrl_c(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *command],
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # a console of its own, and no window
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return done.stdout.strip() or done.stderr


def test_watch_ends_with_130() -> None:
    assert _status_after_ctrl_c("iocp", "watch", ".", "--timeout", "60s") == "130"


def test_after_the_end_it_ends_the_process_at_once() -> None:
    code = """
import signal, sys
from toolkit.cli.run import run
print(run(["map", "--json"]), file=sys.stderr, flush=True)
signal.raise_signal(signal.SIGINT)  # as it would come while the interpreter takes itself apart
print("went on", file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.stderr.split(), done.returncode) == (["0"], 130)


def test_tail_of_a_pipe_ends_with_130() -> None:
    from toolkit.primitives.named_pipe import NamedPipe

    with NamedPipe.create() as pipe:
        assert _status_after_ctrl_c("tail", "--quiet", pipe.name, "--timeout", "60s") == "130"
