"""What a shell user waits for: no module that the command does not need, and a bounded multiple of Python's own start.

Importing is what costs. The bound is one of the contract's numbers: 6.3 times `python -c pass`.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import toolkit
from toolkit.primitives.eventfd import EventFd

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

HEAVY = (
    "asyncio",
    "concurrent",
    "ctypes",
    "email",
    "http",
    "importlib.metadata",
    "json",
    "multiprocessing",
    "platform",
    "rich",
    "shellingham",
    "subprocess",
    "tempfile",
)
LIMIT = 6.3
ROUNDS = 30
ATTEMPTS = 4


def _loaded(shell: "Shell", arguments: str) -> set[str]:
    code = (
        "import atexit, sys; from toolkit.__main__ import main; "
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        "sys.argv[0] = 'evkit'; sys.exit(main())"
    )
    home = Path(toolkit.__file__).parents[1]
    script = f'evkit eventfd run -- {sys.executable} -c "{code}" {arguments}'
    done = shell.run(script, env=shell.environment | {"PYTHONPATH": str(home)})
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments", ["--help", "eventfd add 1", "eventfd --help", "epoll watch --help", "case --help"]
)
def test_nothing_heavy_is_imported(shell: "Shell", arguments: str) -> None:
    modules = _loaded(shell, arguments)
    assert "typer" in modules
    assert sorted(modules & set(HEAVY)) == []


def test_the_version_needs_no_typer(shell: "Shell") -> None:
    modules = _loaded(shell, "--version")
    assert not {name for name in modules if name.startswith(("typer", "toolkit.cli"))}


def test_only_the_chosen_command_is_imported(shell: "Shell") -> None:
    help_text = _loaded(shell, "--help")
    assert "toolkit.ffi" not in help_text
    commands = {
        "toolkit.cli.eventfd.add",
        "toolkit.cli.eventfd.read",
        "toolkit.cli.doctor",
        "toolkit.cli.epoll",
    }
    assert _loaded(shell, "eventfd add 1") & commands == {"toolkit.cli.eventfd.add"}


def test_collections_run_while_a_command_works(shell: "Shell") -> None:
    code = (
        "import sys; import toolkit.cli.eventfd.peek as chosen; import gc; "
        "chosen.Output.result = lambda *_: print(gc.isenabled()); "
        "from toolkit.__main__ import main; sys.argv = ['evkit', 'eventfd', 'peek']; sys.exit(main())"
    )
    home = Path(toolkit.__file__).parents[1]
    done = shell.run(
        f'evkit eventfd run -- {sys.executable} -c "{code}"',
        env=shell.environment | {"PYTHONPATH": str(home)},
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.alone
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["eventfd", "add", "1"]])
def test_start_up_is_a_small_multiple_of_python_s(arguments: list[str]) -> None:
    installed = Path(sys.executable).with_name("evkit")
    command = [str(installed)] if installed.exists() else [sys.executable, "-m", "toolkit"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ratios = []
    with EventFd(0, 0) as eventfd:
        environment["EVENTFD"] = str(eventfd.fileno())
        while len(ratios) < ATTEMPTS:
            ratios.append(_ratio([*command, *arguments], environment))
            if ratios[-1] <= LIMIT:
                return
    pytest.fail(f"{' '.join(arguments)}: {ratios} times `python -c pass`; at most {LIMIT}")


def _ratio(command: list[str], environment: dict[str, str]) -> float:
    """Of the least processor time in interleaved runs: what else the machine does only adds to it."""
    bare: list[float] = []
    ours: list[float] = []
    for _ in range(ROUNDS):
        bare.append(_processor_time([sys.executable, "-c", "pass"], environment))
        ours.append(_processor_time(command, environment))
    return min(ours) / min(bare)


def _processor_time(command: list[str], environment: dict[str, str]) -> float:
    process = subprocess.Popen(command, env=environment, close_fds=False, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime
