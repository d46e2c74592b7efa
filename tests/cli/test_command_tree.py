"""The commands as a whole: names, near misses, help whose examples work, the wrong platform."""

import re
import sys
from typing import TYPE_CHECKING

import pytest

from toolkit.cli.table import PLATFORMS, ROOT, Group

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Shell


def _paths(group: Group, path: str = "evkit") -> list[str]:
    found = [path]
    for name, entry in group.commands.items():
        found += _paths(entry, f"{path} {name}") if isinstance(entry, Group) else [f"{path} {name}"]
    return found


@pytest.mark.once
@pytest.mark.parametrize("path", _paths(ROOT))
def test_help_has_examples_and_each_works(shell: "Shell", path: str) -> None:
    lacking = PLATFORMS.get([*path.split(), ""][1]) not in (None, sys.platform)
    done = shell.run(f"{path} --help")
    assert (done.returncode, done.stderr) == (0, "")
    assert not re.search(r"default:\s+\d{7}", done.stdout), "a time in nanoseconds says little: give its unit"
    examples = re.findall(r"^ +\$ (.+)$", done.stdout, re.MULTILINE)
    assert examples, f"{path} --help has no example"
    for example in examples:
        ran = shell.run(example)
        if lacking:
            assert (ran.returncode, ran.stdout) == (77, ""), f"{example}\n{ran.stderr}"
            continue
        assert (ran.returncode, ran.stderr) == (0, ""), f"{example}\n{ran.stdout}\n{ran.stderr}"


def test_help_lists_every_command(shell: "Shell") -> None:
    text = shell.run("evkit --help").stdout
    for name in ROOT.commands:
        assert re.search(rf"^  {name} +\S", text, re.MULTILINE), name


@pytest.mark.once
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("evkit evntfd", "evkit: no such command 'evntfd'. Did you mean 'eventfd'?"),
        ("evkit eventfd ad 3", "evkit eventfd: no such command 'ad'. Did you mean 'add', 'read'?"),
        ("evkit eventfd", "evkit eventfd: missing command: one of "),
        ("evkit", "evkit: missing command: one of "),
        ("evkit --jsn", "evkit: no such option: --jsn"),
        ("evkit eventfd add -5", "evkit eventfd add: -5 is below zero"),
        (
            "evkit eventfd read --tiemout 3s",
            "evkit eventfd read: no such option: --tiemout (Possible options: --timeout)",
        ),
    ],
)
def test_unknown_words(refused: "Callable[[str], str]", script: str, said: str) -> None:
    assert refused(script).startswith(said)


def test_a_primitive_of_another_platform_points_to_the_map(refused: "Callable[[str, int], str]") -> None:
    away = [name for name, home in PLATFORMS.items() if home != sys.platform]
    assert away
    for name in away:
        line = refused(f"evkit {name} demo", 77)
        assert f"{name} is a primitive of " in line
        assert "`evkit map`" in line


def test_version(shell: "Shell") -> None:
    from toolkit.version import VERSION

    assert shell.run("evkit --version").stdout == f"evkit {VERSION}\n"


@pytest.mark.once
@pytest.mark.parametrize(
    "command",
    ["--version", "--help", "case list", "case list --json", "eventfd demo", "map", "tail /etc/hostname"],
)
def test_results_that_have_nowhere_to_go_are_an_error(shell: "Shell", command: str) -> None:
    done = shell.run(f"evkit {command} >&-")
    assert done.returncode == 99
    assert done.stderr.splitlines()[-1].endswith("cannot go on: Bad file descriptor")
    assert shell.run(f"evkit {command} >&- 2>&-").returncode == 99


def test_a_command_without_results_needs_no_stdout(shell: "Shell") -> None:
    done = shell.run("evkit eventfd run -- true >&-")
    assert (done.returncode, done.stderr) == (0, "")
