"""`evkit eventfd run|add|read|peek` in a real shell: the descriptor travels by inheritance."""

import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

    Records = Callable[[str], list[dict[str, object]]]

MAXIMUM = 2**64 - 2  # eventfd(2)
Refused = Callable[..., str]


def test_the_descriptor_passes_down_two_processes(shell: "Shell") -> None:
    done = shell.run("evkit eventfd run -- sh -c 'evkit eventfd add 3; evkit eventfd read'")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_additions_sum_and_a_read_takes_all(shell: "Shell") -> None:
    script = "evkit eventfd add 100k; evkit eventfd add 0x10; evkit eventfd read; evkit eventfd peek"
    assert shell.run(f"evkit eventfd run -- sh -c '{script}'").stdout == "100016\n0\n"


@pytest.mark.once
def test_a_semaphore_gives_one_unit_a_read(shell: "Shell") -> None:
    script = "evkit eventfd read; evkit eventfd peek"
    done = shell.run(f"evkit eventfd run --initial 3 --semaphore -- sh -c '{script}'")
    assert done.stdout == "1\n2\n"


def test_peek_leaves_the_counter(shell: "Shell") -> None:
    script = "evkit eventfd peek; evkit eventfd peek; evkit eventfd read"
    assert shell.run(f"evkit eventfd run --initial 7 -- sh -c '{script}'").stdout == "7\n7\n7\n"


@pytest.mark.once
@pytest.mark.parametrize("flag", ["", "--nonblock"])
def test_reading_nothing_times_out(shell: "Shell", flag: str) -> None:
    done = shell.run(f"evkit eventfd run {flag} -- evkit eventfd read --timeout 50ms")
    assert (done.returncode, done.stdout) == (124, "")
    assert done.stderr == "evkit eventfd read: gave up after 0.05s: the counter stayed 0\n"


@pytest.mark.once
@pytest.mark.parametrize("flag", ["", "--nonblock"])
@pytest.mark.parametrize("start", [MAXIMUM, MAXIMUM - 1])
def test_adding_without_room_times_out(shell: "Shell", flag: str, start: int) -> None:
    # with MAXIMUM - 1, POLLOUT says ready: there is room for 1, not for 3
    script = f"evkit eventfd add {start}; evkit eventfd add 3 --timeout 50ms; echo $?; evkit eventfd peek"
    done = shell.run(f"evkit eventfd run {flag} -- sh -c '{script}'")
    assert done.stdout == f"124\n{start}\n"


@pytest.mark.once
@pytest.mark.parametrize("flag", ["", "--nonblock"])
def test_an_addition_waits_for_room(shell: "Shell", flag: str) -> None:
    script = (
        f"evkit eventfd add {MAXIMUM - 1}; evkit eventfd add 3 & evkit eventfd read; wait; evkit eventfd peek"
    )
    done = shell.run(f"evkit eventfd run {flag} -- sh -c '{script}'")
    assert done.stdout == f"{MAXIMUM - 1}\n3\n"


@pytest.mark.once
def test_the_flag_of_every_holder_is_left_alone(shell: "Shell") -> None:
    flags = "grep flags /proc/self/fdinfo/$EVENTFD"
    script = f"{flags}; evkit eventfd add 1; {flags}; evkit eventfd read; {flags}"
    before, between, value, after = shell.run(f"evkit eventfd run -- sh -c '{script}'").stdout.splitlines()
    assert value == "1"
    assert before == between == after
    assert not int(before.split()[1], 8) & os.O_NONBLOCK


@pytest.mark.once
def test_json_lines(shell: "Shell", valid_records: "Records") -> None:
    script = "evkit eventfd add 3 --json; evkit eventfd peek --json; evkit eventfd read --json"
    records = valid_records(shell.run(f"evkit eventfd run --json -- sh -c '{script}'").stdout)
    assert [record["operation"] for record in records] == ["create", "add", "peek", "read"]
    assert [record.get("value", record.get("count")) for record in records] == ["0x0", "0x3", "0x3", "0x3"]


@pytest.mark.once
@pytest.mark.parametrize(
    ("command", "status"), [("sh -c 'exit 7'", 7), ("true", 0), ("sh -c 'kill -KILL $$'", 137)]
)
def test_run_ends_with_the_commands_own_status(shell: "Shell", command: str, status: int) -> None:
    assert shell.run(f"evkit eventfd run -- {command}; exit $?").returncode == status


@pytest.mark.once
def test_run_says_what_could_not_be_run(refused: Refused) -> None:
    assert (
        refused("evkit eventfd run -- no-such-thing", 127)
        == "evkit eventfd run: no-such-thing: no such command"
    )
    assert "cannot be run: Permission denied" in refused("evkit eventfd run -- /etc/passwd", 126)


def test_the_command_gets_ordinary_signals(shell: "Shell") -> None:
    ignored = "sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status"
    done = shell.run(f"{ignored}; evkit eventfd run -- {ignored}")
    by_the_shell, under_evkit = done.stdout.splitlines()
    assert under_evkit == by_the_shell  # CPython ignores SIGPIPE, and that would survive exec


@pytest.mark.once
def test_a_closed_number_names_the_usual_culprit(refused: Refused) -> None:
    line = refused("evkit eventfd add 1 --fd 77")
    assert line.startswith("evkit eventfd add: descriptor 77 is not open here;")
    assert "pass_fds" in line


def test_python_s_subprocess_is_such_a_launcher(shell: "Shell") -> None:
    inner = "import subprocess, sys; sys.exit(subprocess.run(['evkit', 'eventfd', 'read'{}]).returncode)"
    command = f'evkit eventfd run --initial 4 -- {sys.executable} -c "$CODE"'
    closed = shell.run(command, env=shell.environment | {"CODE": inner.format("")})
    assert (closed.returncode, closed.stdout) == (2, "")
    assert "pass_fds" in closed.stderr
    passing = inner.replace("'read'{}]", "'read'], pass_fds=[3]").format()
    assert shell.run(command, env=shell.environment | {"CODE": passing}).stdout == "4\n"


@pytest.mark.once
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("evkit eventfd read --fd 0 </dev/null", "descriptor 0 is not an eventfd, it is /dev/null"),
        ("sleep 0 | evkit eventfd read --fd 0", "descriptor 0 is not an eventfd, it is a pipe"),
        ("evkit eventfd read", "no eventfd given: use --fd N"),
        ("EVENTFD=three evkit eventfd read", "$EVENTFD is 'three', not a descriptor number"),
        ("evkit eventfd add 18446744073709551615 --fd 0", "above 2^64-2"),
        ("evkit eventfd add 0xffffffffffffffff --fd 0", "above 2^64-2"),
        ("evkit eventfd add some --fd 0", "'some' is not a count"),
        ("evkit eventfd add 0xyz --fd 0", "'0xyz' is not a hexadecimal number"),
        ("evkit eventfd read --timeout 5", "'5' is not a duration; write 250ms, 10s or 2m"),
        ("evkit eventfd run --initial 4294967296 -- true", "--initial is at most 4294967295"),
        ("evkit eventfd read --fd 99999999999", "descriptor 99999999999 is not open here"),
        ("EVENTFD=99999999999 evkit eventfd peek", "descriptor 99999999999 (from $EVENTFD) is not open here"),
        ("evkit eventfd read --ready-fd 99999999999", "--ready-fd 99999999999 is not open here"),
        ("evkit eventfd run", "missing argument 'CMD...'"),
    ],
)
def test_bad_input_is_one_line(refused: Refused, script: str, said: str) -> None:
    assert said in refused(script)


def test_sixteen_descriptors_are_enough(shell: "Shell") -> None:
    done = shell.run("ulimit -n 16; evkit eventfd run -- sh -c 'evkit eventfd add 3; evkit eventfd read'")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_a_reader_that_left_is_no_error(shell: "Shell") -> None:
    # the fifo's only reader leaves before anything is written
    script = "mkfifo f; : <f & exec 3>f; wait; evkit eventfd run --initial 1 -- evkit eventfd peek >&3"
    done = shell.run(f"{script}; exit $?")
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.once
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm(shell: "Shell", number: int, status: int) -> None:
    waiting = shell.start_ready("exec evkit eventfd run -- evkit eventfd read --ready-fd $READY")
    waiting.send_signal(number)
    out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, out, err) == (status, "", "")


@pytest.mark.once
def test_a_descriptor_for_ready_that_is_not_open(refused: Refused) -> None:
    line = refused("evkit eventfd read --ready-fd 77")
    assert line.startswith("evkit eventfd read: --ready-fd 77 is not open here")
