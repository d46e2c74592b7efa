"""The demos tell what the man pages say, by calls made now; the map is complete and fits."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytestmark = pytest.mark.once

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

    Records = Callable[[str], list[dict[str, object]]]

# What each story must come to, from eventfd(2), signalfd(2), signal(7), epoll(7) and epoll_ctl(2).
NOTES = {
    "eventfd": [
        "/proc tells the count without taking it: 2",
        "the count is 5",
        "read 5, the count is 0",
        "read says EAGAIN",
        "write says EAGAIN; the read took 18446744073709551614",
        "writing 2^64-1: EINVAL; reading into 4 bytes: EINVAL",
        "three reads of 2: 1, 1, EAGAIN",
        "read through the other: 7",
        "ended with 0, and the counter here gave 42",
        "[1, 1, 0]",
        "one read: 3",
    ],
    "signalfd": [
        "the handler ran 1 time; the descriptor says EAGAIN",
        "pending: SIGUSR1; the handler ran no more (1); readable: True",
        "SIGUSR1, SI_USER, sent by this process",
        "values read: [1]",
        "values read: [1, 2, 3]",
        "ssi_ptr is 0xfedcba9876543210, ssi_int is its low half: 0x76543210",
        "before the change: EAGAIN; after it: SIGUSR2",
        "CLD_EXITED, the child, status 7",
        "ready before: 0, after: 1; read SIGUSR1 with 5",
        "blocked in the program: SIGUSR1, SIGUSR2, SIGCHLD, SIGRTMIN",
        "the handler ran 2 times in all; the descriptor says EAGAIN",
    ],
    "epoll": [
        "its list has 0 entries",
        "before the write: nothing; after it: EPOLLIN with 0xc0ffee",
        "[1, 1, 0]",
        "events: 1, then 0 though 3 bytes were left",
        "events: 1, then 0; after the modification 1",
        "the same number: EEXIST; a duplicate of it is another entry: accepted",
        "EPERM: it is always ready",
        "events asked for: none; got EPOLLHUP with 0x1",
        "got EPOLLOUT|EPOLLERR with 0x2",
        "got EPOLLIN with 0xdead; deleting it says EBADF; with the last duplicate it goes: 0 events",
        "EPOLL_CTL_MOD says EINVAL",
        "itself: EINVAL; a chain of 6: ELOOP",
    ],
}


@pytest.mark.parametrize("primitive", NOTES)
def test_a_story(shell: "Shell", valid_records: "Records", primitive: str) -> None:
    done = shell.run(f"ulimit -n 16; evkit {primitive} demo --json")
    assert (done.returncode, done.stderr) == (0, "")
    steps = valid_records(done.stdout)
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    assert all(step["calls"] for step in steps)
    for step, note in zip(steps, NOTES[primitive], strict=True):
        assert note in str(step["note"])


@pytest.mark.parametrize("primitive", NOTES)
def test_a_story_s_calls_are_those_that_the_kernel_saw(
    shell: "Shell", valid_records: "Records", primitive: str
) -> None:
    calls = "epoll_ctl,epoll_create1,eventfd2,signalfd4,rt_sigqueueinfo"
    tracer = f"strace -o seen -e signal=none -qq -e trace={calls}"
    steps = valid_records(shell.run(f"{tracer} evkit {primitive} demo --json").stdout)
    told = [call for step in steps for call in step["calls"] if call.split("(")[0] in calls.split(",")]  # type: ignore[attr-defined]
    seen = (shell.folder / "seen").read_text().splitlines()
    # importing the standard library's selectors makes an epoll too, before the story
    mine = seen[-len(told) :]
    assert [_name_and_result(call) for call in told] == [_name_and_result(line) for line in mine]


def _name_and_result(line: str) -> tuple[str, str]:
    """`("epoll_ctl", "-1 EPERM")`."""
    found = re.fullmatch(r"(\w+)\(.*\) += (-1 E\w+|\d+).*", line)
    assert found, line
    return found[1], found[2]


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("command", ["map", "epoll demo"])
def test_it_fits_the_terminal(shell: "Shell", command: str, columns: int) -> None:
    done = shell.run(f"evkit {command}", env=shell.environment | {"COLUMNS": str(columns)})
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= columns


def test_the_map_covers_what_it_promises(shell: "Shell", valid_records: "Records") -> None:
    rows = valid_records(shell.run("evkit map --json").stdout)
    topics = {str(row["topic"]) for row in rows}
    assert {"create", "attach", "wait", "post (wake it)", "destroy", "regular files", "sockets"} <= topics
    assert len(topics) == len(rows)


def test_too_few_descriptors_say_so(shell: "Shell") -> None:
    done = shell.run("mkdir away; export TMPDIR=$PWD/away; prlimit --nofile=9 evkit epoll demo")
    assert done.returncode == 99
    assert list((shell.folder / "away").iterdir()) == []
    assert done.stdout.startswith(" 1. An interest list is made")  # what had been told stays
    assert done.stderr.count("\n") == 1
    assert "this process may have 9 descriptors; raise the limit (ulimit -n)" in done.stderr


def test_a_full_disk_says_so(shell: "Shell") -> None:
    done = shell.run("evkit map >/dev/full")
    assert (done.returncode, done.stderr) == (99, "evkit map: cannot go on: No space left on device\n")
