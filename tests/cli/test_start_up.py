"""Start-up is what a shell user feels: nothing heavy is imported, and a command costs a few empty Pythons."""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="an eventfd is passed down")

COMMANDS = [["--version"], ["--help"], ["eventfd", "add", "1"]]
HEAVY = {"asyncio", "json", "rich", "importlib.metadata"}  # typer itself imports subprocess
LIMIT = 6.3
ROUNDS = 21

LISTING = """
import atexit, sys
atexit.register(lambda: sys.stderr.write(" ".join(sys.modules)))
from toolkit.__main__ import main
sys.exit(main())
"""


@pytest.fixture
def counter() -> Iterator[int]:
    """An eventfd that children inherit, its number in $EVENTFD."""
    fd = os.eventfd(0, os.EFD_NONBLOCK)
    os.set_inheritable(fd, True)
    os.environ["EVENTFD"] = str(fd)
    yield fd
    del os.environ["EVENTFD"]
    os.close(fd)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_heavy_is_imported(counter: int, arguments: list[str]) -> None:
    command = [sys.executable, "-c", LISTING, *arguments]
    ended = subprocess.run(
        command, pass_fds=[counter], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    imported = set(ended.stderr.split())
    assert "toolkit" in imported
    assert imported & HEAVY == set()


def cpu_seconds(command: list[str]) -> float:
    """What a process cost, all of its processor time: waiting for a busy machine is not the command's doing."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    os.close(null)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, command
    return used.ru_utime + used.ru_stime


@pytest.mark.alone
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_costs_at_most_so_many_empty_pythons(counter: int, arguments: list[str]) -> None:
    ours = [sys.executable, "-m", "toolkit", *arguments]
    empty = [sys.executable, "-c", "pass"]
    cpu_seconds(ours)  # the first run may have to write bytecode
    pairs = [(cpu_seconds(ours), cpu_seconds(empty)) for _ in range(ROUNDS)]
    ratio = statistics.median(one for one, _ in pairs) / statistics.median(other for _, other in pairs)
    assert ratio <= LIMIT, pairs
