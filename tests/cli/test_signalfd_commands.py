"""`evkit signalfd watch|queue` in a real shell."""

import os
import signal
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

    Records = Callable[[str], list[dict[str, object]]]
    Refused = Callable[..., str]


def test_three_signals_queued_from_outside(shell: "Shell") -> None:
    watching = shell.start_ready("exec evkit signalfd watch USR1 --count 3 --ready-fd $READY")
    for value in (11, 12, 13):
        # one at a time: USR1 is a standard signal, and those coalesce while they are pending
        assert shell.run(f"evkit signalfd queue {watching.pid} USR1 --value {value}").returncode == 0
        line = watching.stdout.readline()  # type: ignore[union-attr]
        assert line.startswith("SIGUSR1      SI_QUEUE ")
        assert line.endswith(f" uid={os.getuid()} value={value}\n")
    out, err = watching.communicate(timeout=60)
    assert (watching.returncode, out, err) == (0, "", "")


def test_realtime_signals_queue_and_standard_ones_coalesce(shell: "Shell", valid_records: "Records") -> None:
    watching = shell.start_ready(
        "exec evkit signalfd watch RTMIN+1 USR2 --json --timeout 2s --ready-fd $READY"
    )
    watching.send_signal(signal.SIGSTOP)
    shell.run(f"evkit signalfd queue {watching.pid} RTMIN+1 --value -7 --times 3")
    shell.run(f"evkit signalfd queue {watching.pid} USR2 --value 1 --times 3")
    watching.send_signal(signal.SIGCONT)
    out, _ = watching.communicate(timeout=60)
    names = [event["signal"] for event in valid_records(out)]
    assert names.count("SIGRTMIN+1") == 3
    assert names.count("SIGUSR2") == 1
    assert watching.returncode == 124


@pytest.mark.once
def test_all_64_bits_of_the_value_arrive(shell: "Shell", valid_records: "Records") -> None:
    inner = "evkit signalfd queue $PPID USR1 --value 0xfedcba9876543210"
    done = shell.run(f"evkit signalfd watch USR1 --json -- sh -c '{inner}'")
    seen, end = valid_records(done.stdout)
    assert seen["siginfo"]["ssi_ptr"] == "0xfedcba9876543210"  # type: ignore[index]
    assert seen["siginfo"]["ssi_int"] == 0x76543210  # type: ignore[index]
    assert seen["code"] == "SI_QUEUE"
    assert (end["is_command"], end["status"]) == (True, 0)


@pytest.mark.once
def test_the_command_keeps_the_callers_mask(shell: "Shell") -> None:
    mask = "sed -n 's/^SigBlk:[[:space:]]*//p' /proc/self/status"
    inside, _ = shell.run(f"env --block-signal=USR2 evkit signalfd watch USR1 -- {mask}").stdout.splitlines()
    assert int(inside, 16) == 1 << (signal.SIGUSR2 - 1)


def test_the_command_gets_default_dispositions(shell: "Shell") -> None:
    ignored = "sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status"
    before, inside, _ = shell.run(f"{ignored}; evkit signalfd watch USR1 -- {ignored}").stdout.splitlines()
    # posix_spawn(3) of glibc, which the shell may have been started with as well, ignores its own 32 and 33
    own = 1 << 31 | 1 << 32
    assert int(inside, 16) & ~own == int(before, 16) & ~own


@pytest.mark.once
@pytest.mark.parametrize(
    ("command", "status", "line"),
    [
        ("true", 0, "exited with 0"),
        ("sh -c 'exit 9'", 9, "exited with 9"),
        ("sh -c 'kill -KILL $$'", 137, "was ended by SIGKILL"),
    ],
)
def test_it_ends_with_the_commands_status(shell: "Shell", command: str, status: int, line: str) -> None:
    done = shell.run(f"evkit signalfd watch USR1 -- {command}")
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith("command ")
    assert done.stdout.endswith(f" {line}\n")


def test_orphans_of_the_command_are_reported(shell: "Shell", valid_records: "Records") -> None:
    # the command waits until its orphan is not even a zombie: only we can have reaped it
    orphan = (
        "(sh -c 'echo $$ >pid; exit 5' &); until read pid <pid; do :; done; while kill -0 $pid; do :; done"
    )
    done = shell.run(
        'evkit signalfd watch CHLD --json -- sh -c "$ORPHAN" 2>/dev/null',
        env=shell.environment | {"ORPHAN": orphan},
    )
    ends = [event for event in valid_records(done.stdout) if event.get("operation") == "child_end"]
    assert [(end["is_command"], end["status"]) for end in ends] == [(False, 5), (True, 0)]


@pytest.mark.once
def test_a_time_limit_ends_the_command_too(shell: "Shell") -> None:
    done = shell.run(f"evkit signalfd watch USR1 --timeout 100ms -- sleep 1000.{os.getpid()}")
    assert done.returncode == 124
    assert done.stderr.endswith("the time limit passed before sleep ended; it was sent SIGTERM\n")
    left = subprocess.run(["pgrep", "-f", f"^sleep 1000.{os.getpid()}$"], capture_output=True, check=False)
    assert left.stdout == b""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_ending_signal(shell: "Shell", number: int, status: int) -> None:
    watching = shell.start_ready("exec evkit signalfd watch USR1 --ready-fd $READY")
    watching.send_signal(signal.SIGUSR1)
    first = watching.stdout.readline()  # type: ignore[union-attr]
    watching.send_signal(number)
    _, err = watching.communicate(timeout=60)
    assert first.startswith(f"SIGUSR1      SI_USER      pid={os.getpid()} ")
    assert (watching.returncode, err) == (status, "")


@pytest.mark.once
def test_a_watched_ctrl_c_is_an_event(shell: "Shell") -> None:
    watching = shell.start_ready("exec evkit signalfd watch INT TERM --count 2 --ready-fd $READY")
    watching.send_signal(signal.SIGINT)
    watching.send_signal(signal.SIGTERM)
    out, _ = watching.communicate(timeout=60)
    assert [line.split()[0] for line in out.splitlines()] == ["SIGINT", "SIGTERM"]
    assert watching.returncode == 0


@pytest.mark.once
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("watch USRR1", "unknown signal 'USRR1'; did you mean USR1 or USR2?"),
        ("watch KILL", "SIGKILL cannot be blocked"),
        ("watch 33", "signal 33 is the C library's own"),
        ("watch 65", "unknown signal '65'"),
        ("watch USR1 --", "no command stands behind --"),
        ("watch USR1 --count 2 -- true", "--count and -- CMD do not go together"),
        ("watch", "missing argument 'SIG...'"),
        ("queue 1 USRR1", "unknown signal 'USRR1'"),
        ("queue -- -1 USR1", "-1 is not a process"),
        ("queue one USR1", "'one' is not a valid int"),
        ("queue 1 USR1 --value 0x10000000000000000", "0x10000000000000000 does not fit 64 bits"),
        ("queue 1 USR1 --value many", "'many' is not a number"),
        ("queue 1 USR1 --times -3", "'-3' is not a count"),
        ("queue 1 USR1 --times 0", "--times 0 sends nothing"),
        ("queue 99999999999 USR1", "no process has the number 99999999999"),
    ],
)
def test_bad_input_is_one_line(refused: "Refused", script: str, said: str) -> None:
    assert said in refused(f"evkit signalfd {script}")


@pytest.mark.once
def test_a_process_that_is_gone(shell: "Shell", refused: "Refused") -> None:
    gone = shell.start("exit 0")
    gone.communicate(timeout=60)
    line = refused(f"evkit signalfd queue {gone.pid} USR1")
    assert line == f"evkit signalfd queue: no process has the number {gone.pid}"


@pytest.mark.once
def test_what_cannot_be_run(refused: "Refused") -> None:
    assert refused("evkit signalfd watch USR1 -- no-such-thing", 127).endswith(
        "no-such-thing: no such command"
    )
    assert "cannot be run: Permission denied" in refused("evkit signalfd watch USR1 -- /etc/passwd", 126)


@pytest.mark.once
def test_a_full_queue_says_how_many_went(shell: "Shell") -> None:
    watching = shell.start_ready(
        "exec prlimit --sigpending=4 evkit signalfd watch RTMIN --timeout 60s --ready-fd $READY"
    )
    watching.send_signal(signal.SIGSTOP)
    done = shell.run(f"evkit signalfd queue {watching.pid} RTMIN --times 100")
    watching.kill()
    assert done.returncode == 1
    assert done.stderr.endswith(" of 100: the receiving user's RLIMIT_SIGPENDING is full\n")
