"""`evkit doctor`: what it says is what a call said just now, whatever the version string claims."""

import json
import resource
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from toolkit.features import PROBES

pytestmark = pytest.mark.once

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

    Records = Callable[[str], list[dict[str, object]]]

# Each probe below must notice when the call it is about fails; strace makes it fail.
INJECTED = [
    ("epoll_create1", "epoll_create1", "EMFILE"),
    ("epoll_pwait2", "epoll_pwait2", "ENOSYS"),
    ("epoll_busy_poll", "ioctl", "ENOTTY"),
    ("eventfd2", "eventfd2", "ENODEV"),
    ("signalfd4", "signalfd4", "ENOSYS"),
    ("kcmp", "kcmp", "EPERM"),
    ("kcmp_epoll_tfd", "kcmp", "ENOSYS"),
    ("pidfd_open", "pidfd_open", "ENOSYS"),
    ("pidfd_send_signal", "pidfd_send_signal", "EPERM"),
    ("pidfd_getfd", "pidfd_getfd", "EPERM"),
    ("io_uring", "io_uring_setup", "EPERM"),
    ("timerfd", "timerfd_create", "EINVAL"),
    ("close_range", "close_range", "ENOSYS"),
    ("memfd", "memfd_create", "ENOSYS"),
    ("subreaper", "prctl", "EINVAL"),
]


@pytest.mark.parametrize(("feature", "call", "error"), INJECTED)
def test_a_call_that_fails_is_a_feature_that_is_missing(
    shell: "Shell", valid_records: "Records", feature: str, call: str, error: str
) -> None:
    tracer = f"strace -f -qq -o /dev/null -e trace={call} -e inject={call}:error={error}"
    done = shell.run(f"{tracer} evkit doctor {feature} --json")
    assert done.returncode == 77, done.stderr
    _, record = valid_records(done.stdout)
    assert (record["name"], record["available"]) == (feature, False)
    assert error in str(record["reason"])


def test_an_orphan_that_goes_elsewhere_is_noticed(shell: "Shell") -> None:
    # the call says 0 and does nothing
    tracer = "strace -f -qq -o /dev/null -e trace=prctl -e inject=prctl:retval=0"
    done = shell.run(f"{tracer} evkit doctor subreaper")
    assert (done.returncode, "an orphan went to another process" in done.stdout) == (77, True)


def test_every_probe_is_listed_and_valid(shell: "Shell", valid_records: "Records") -> None:
    done = shell.run("evkit doctor --json")
    assert (done.returncode, done.stderr) == (0, "")
    run, *records = valid_records(done.stdout)
    assert run["type"] == "run"
    assert [record["name"] for record in records] == list(PROBES)
    assert all(record["about"] for record in records)
    assert all("reason" in record for record in records if not record["available"])


def test_limits_are_those_of_this_process(shell: "Shell", valid_records: "Records") -> None:
    done = shell.run("ulimit -S -n 123; evkit doctor rlimit_nofile --json")
    _, record = valid_records(done.stdout)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert record["value"] == f"123 (up to {hard})"


def test_sixteen_descriptors(shell: "Shell") -> None:
    done = shell.run("ulimit -n 16; evkit doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "yes epoll_create1" in done.stdout


@pytest.mark.parametrize("columns", [80, 200])
def test_it_fits_the_terminal(shell: "Shell", columns: int) -> None:
    done = shell.run("evkit doctor", env=shell.environment | {"COLUMNS": str(columns)})
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert "\x1b" not in done.stdout


def test_unknown_features(refused: Callable[[str], str]) -> None:
    assert refused("evkit doctor kcpm") == "evkit doctor: unknown feature 'kcpm'; did you mean kcmp?"
    assert refused("evkit doctor xyzzy").endswith("`evkit doctor` lists them all")


def test_a_reader_that_leaves_early(shell: "Shell") -> None:
    done = shell.run("evkit doctor --json | head -1")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["type"] == "run"
