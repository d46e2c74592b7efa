"""`evkit epoll watch` on real fifos, sockets and terminals."""

import os
import pty
import re
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

    Records = Callable[[str], list[dict[str, object]]]

pytestmark = pytest.mark.once

HOLD = (
    "mkfifo a b; exec 7<>a 8<>b;"  # both ends held: a writer that leaves would be a second event (EPOLLHUP)
)


def test_edge_triggered_without_draining_tells_once(shell: "Shell", valid_records: "Records") -> None:
    script = "printf hello >&7; printf hi >&8; evkit epoll watch --et --no-drain --timeout 400ms --json a b"
    done = shell.run(f"{HOLD} {script}; status=$?; dd bs=9 count=1 <&7 >&2 2>/dev/null; exit $status")
    events = valid_records(done.stdout)
    assert sorted((event["target"], event["content"], event["read_bytes"]) for event in events) == [
        ("a", "h", 1),
        ("b", "h", 1),
    ]
    assert done.returncode == 124
    assert "ello" in done.stderr  # what was left is still there: nobody was told


def test_level_triggered_tells_again_while_something_is_left(
    shell: "Shell", valid_records: "Records"
) -> None:
    done = shell.run(
        f"{HOLD} printf hello >&7; evkit epoll watch --no-drain --read 2 --timeout 2s --json a b"
    )
    assert [event["content"] for event in valid_records(done.stdout)] == ["he", "ll", "o"]


def test_edge_triggered_with_draining_takes_all(shell: "Shell", valid_records: "Records") -> None:
    done = shell.run(f"{HOLD} printf hello >&7; evkit epoll watch --et --read 2 --count 1 --json a b")
    assert [event["content"] for event in valid_records(done.stdout)] == ["hello"]
    assert done.returncode == 0


def test_reading_nothing_spins_when_level_triggered(shell: "Shell") -> None:
    done = shell.run(f"{HOLD} printf hello >&7; evkit epoll watch --read 0 --count 50 a")
    assert done.stdout == "a  EPOLLIN\n" * 50


def test_a_time_limit_ends_the_spin_too(shell: "Shell") -> None:
    done = shell.run(f"{HOLD} printf hello >&7; evkit epoll watch --read 0 --timeout 200ms a >spun")
    assert done.returncode == 124
    assert (shell.folder / "spun").read_text().startswith("a  EPOLLIN\n")


def test_oneshot_falls_silent(shell: "Shell", valid_records: "Records") -> None:
    command = "evkit epoll watch --oneshot --no-drain --timeout 300ms --json a"
    done = shell.run(f"{HOLD} printf hello >&7; {command}")
    assert [event["content"] for event in valid_records(done.stdout)] == ["h"]
    assert done.returncode == 124


def test_it_ends_when_every_writer_has_left(shell: "Shell") -> None:
    done = shell.run("mkfifo a b; (echo left > a &); (echo right > b &); evkit epoll watch a b")
    assert done.returncode == 0
    assert re.search(r'^a  EPOLLIN.*read 5 bytes: "left\\n"', done.stdout, re.MULTILINE)
    assert re.search(r'^b  EPOLLIN.*read 6 bytes: "right\\n"', done.stdout, re.MULTILINE)
    assert done.stdout.count("end of file, no longer watched") == 2


def test_what_was_inherited_stays_blocking(shell: "Shell") -> None:
    script = "evkit epoll watch --count 1 fd:7; grep flags /proc/self/fdinfo/7"
    flags = shell.run(f"mkfifo a; exec 7<>a; printf x >&7; {script}").stdout.splitlines()[-1]
    assert not int(flags.split()[1], 8) & os.O_NONBLOCK


def test_a_listener_accepts(shell: "Shell", valid_records: "Records") -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        number = listener.fileno()
        first = socket.create_connection(("127.0.0.1", port))
        second = socket.create_connection(("127.0.0.1", port))
        with first, second:
            done = shell.run(f"evkit epoll watch --count 1 --json fd:{number}", pass_fds=[number])
            [event] = valid_records(done.stdout)
            addresses = [f"127.0.0.1:{sock.getsockname()[1]}" for sock in (first, second)]
            assert event["accepted"] == addresses
            assert first.recv(1) == b""  # it was closed again


def test_a_listener_of_its_own(shell: "Shell") -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    watching = shell.start_ready(f"exec evkit epoll watch --count 1 --ready-fd $READY listen:{port}")
    with socket.create_connection(("127.0.0.1", port)) as client:
        out, err = watching.communicate(timeout=60)
        mine = client.getsockname()[1]
    assert (watching.returncode, err) == (0, "")
    assert out.startswith(f"listen:{port}  EPOLLIN  accepted ")
    assert out.endswith(f":{mine}\n")


def test_a_connection_that_is_made_and_ended_by_the_peer(shell: "Shell", valid_records: "Records") -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        watching = shell.start(f"exec evkit epoll watch --events in,rdhup --json tcp:127.0.0.1:{port}")
        listener.settimeout(60)
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"bye")
            assert watching.stdout is not None
            told = watching.stdout.readline()  # before the end comes: both at once would be one event or two
    events = valid_records(told + watching.communicate(timeout=60)[0])
    assert "".join(str(event.get("content", "")) for event in events) == "bye"
    assert events[-1]["end_of_file"]
    assert "EPOLLRDHUP" in events[-1]["events"]  # type: ignore[operator]
    assert watching.returncode == 0


def test_a_refused_connection_is_named(shell: "Shell", valid_records: "Records") -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can listen there meanwhile
        done = shell.run(f"evkit epoll watch --json tcp:127.0.0.1:{bound.getsockname()[1]}")
    [event] = valid_records(done.stdout)
    assert event["socket_error"] == "ECONNREFUSED"


def test_a_terminal(shell: "Shell", valid_records: "Records") -> None:
    ours, theirs = pty.openpty()
    try:
        watching = shell.start_ready(
            f"exec evkit epoll watch --count 1 --json --ready-fd $READY {os.ttyname(theirs)}"
        )
        os.write(ours, b"typed\n")
        [event] = valid_records(watching.communicate(timeout=60)[0])
    finally:
        os.close(ours)
        os.close(theirs)
    assert event["content"] == "typed\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo x > file; {} file", "file: EPERM: epoll does not take regular files: they are always ready; "
         "use io_uring or a thread"),
        ("echo x > file; {} - < file", "-: EPERM: epoll does not take regular files"),
        ("{} /", "/: EPERM: epoll does not take directories; use inotify"),
        ("{} /dev/null", "/dev/null: EPERM: epoll does not take files without a poll operation"),
        ("{} nothing-here", "nothing-here: No such file or directory"),
        ("mkfifo f; {} --events out f", "f: ENXIO: a fifo opens for writing only once somebody reads it"),
        ("{} fd:77", "fd:77: descriptor 77 is not open here; some launchers close descriptors"),
        ("{} fd:x", "fd:x: 'x' is not a number"),
        ("{} listen:65536", "listen:65536: a port is at most 65535"),
        ("{} tcp:localhost:65536", "tcp:localhost:65536: a port is at most 65535"),
        ("{} fd:99999999999", "fd:99999999999: descriptor 99999999999 is not open here"),
        ("mkfifo f; {} f --timeout 1000h", "'1000h' is longer than 596h"),
        ("{} tcp:localhost", "tcp:localhost: write tcp:HOST:PORT"),
        ("{} --events inn -", "unknown event 'inn'; known are in, pri, out"),
        ("mkfifo f; {} --exclusive --oneshot f", "f: EINVAL: epoll does not take EPOLLEXCLUSIVE together with "
         "EPOLLONESHOT"),
        ("mkfifo f; {} fd:7 fd:7 7<>f", "fd:7: EEXIST: descriptor 7 is watched already"),
        ("mkfifo f; {} f --count 0", "invalid value for '--count': 0 is nothing to do; the least is 1"),
        ("{} --read x -", "'x' is not a count"),
        ("{}", "missing argument 'TARGET...'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(refused: Callable[[str], str], script: str, said: str) -> None:
    line = refused(script.format("evkit epoll watch"))
    assert line.startswith("evkit epoll watch: ")
    assert said in line


def test_too_few_descriptors_are_named(refused: Callable[[str], str]) -> None:
    many = " ".join(f"f{number}" for number in range(16))
    line = refused(f"mkfifo {many}; ulimit -n 16; evkit epoll watch --timeout 1s {many}")
    assert "no descriptor left for it: raise RLIMIT_NOFILE (ulimit -n) or watch fewer" in line


def test_sixteen_descriptors_are_enough(shell: "Shell") -> None:
    done = shell.run("mkfifo a; (echo x > a &); ulimit -n 16; evkit epoll watch a")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("number", "status"), [(2, 130), (15, 143)])
def test_an_ending_signal_leaves_whole_lines(
    shell: "Shell", valid_records: "Records", number: int, status: int
) -> None:
    waiting = shell.start_ready("mkfifo a; exec 7<>a; exec evkit epoll watch --json --ready-fd $READY a")
    with open(shell.folder / "a", "w") as fifo:
        fifo.write("one")
        fifo.flush()
        first = waiting.stdout.readline()  # type: ignore[union-attr]
        waiting.send_signal(number)
        rest, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, err) == (status, "")
    assert [event["content"] for event in valid_records(first + rest)] == ["one"]


def test_a_reader_that_leaves_early(shell: "Shell") -> None:
    done = shell.run(f"{HOLD} printf hello >&7; evkit epoll watch --read 0 a | head -1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a  EPOLLIN\n", "")
