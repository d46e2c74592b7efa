"""The commands on Windows, run as users run them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.primitives.directory_changes import start_watch
from toolkit.primitives.named_pipe import NamedPipe
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedFile
from toolkit.scheduler import directory_watch
from toolkit.scheduler.handle_source import HandleSource

if TYPE_CHECKING:
    from tests.windows.conftest import Evkit

Valid = Callable[[str], list[dict[str, Any]]]


def test_read_tells_exactly_the_expected_sequence(evkit: "Evkit", tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * 4552)
    done = evkit("iocp", "read", "log")
    assert done.stdout.splitlines() == [
        "ReadFile from 0",
        "Read 4096 bytes",
        "ReadFile from 4096",
        "Read 456 bytes",
        "ReadFile from 4552",
        "Read 0 bytes",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_the_two_faults_show_themselves_and_are_bounded(evkit: "Evkit", tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * 4552)
    done = evkit("iocp", "read", "log", "--naive-offset", "--times", "4")
    assert done.stdout.splitlines() == ["ReadFile from 0", "Read 4096 bytes"] * 4
    assert done.returncode == 0
    done = evkit("iocp", "read", "log", "--naive-eof", "--times", "2")
    lines = done.stdout.splitlines()
    assert lines[:5] == [
        "ReadFile from 0",
        "Read 4096 bytes",
        "ReadFile from 4096",
        "Read 456 bytes",
        "ReadFile from 4552",
    ]
    assert lines[5] == "FALSE, taken for nothing yet: ERROR_HANDLE_EOF (38)"
    assert lines[6:] == ["FALSE, taken for nothing yet: nothing will ever come"] * 2
    assert done.returncode == 0
    (tmp_path / "empty").touch()
    assert evkit("iocp", "read", "empty", "--naive-offset").returncode == 1  # there is no block to see twice


def test_read_as_json(evkit: "Evkit", tmp_path: Path, valid: Valid) -> None:
    (tmp_path / "log").write_bytes(b"xyz")
    events = valid(evkit("iocp", "read", "log", "--json").stdout)
    assert [(event["operation"], event.get("offset"), event.get("bytes")) for event in events] == [
        ("ReadFile", "0x0", None),
        ("Read", None, 3),
        ("ReadFile", "0x3", None),
        ("Read", None, 0),
    ]


def test_demo_makes_every_kind_of_call(evkit: "Evkit", valid: Valid) -> None:
    steps = valid(evkit("iocp", "demo", "--json").stdout)
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    calls = "\n".join(call for step in steps for call in step["calls"])
    for name in (
        "CreateIoCompletionPort", "PostQueuedCompletionStatus", "GetQueuedCompletionStatus", "ReadFile", "CancelIoEx",
        "SetFileCompletionNotificationModes", "AcceptEx", "ReadDirectoryChangesW", "SetWaitableTimer",
        "AssignProcessToJobObject",
    ):  # fmt: skip
        assert f"{name}(" in calls
    assert "= NULL ERROR_INVALID_PARAMETER (87)" in calls


def test_post_brings_the_words_back(evkit: "Evkit", valid: Valid) -> None:
    words = ("--bytes", "4294967295", "--key", "0xffffffffffffffff", "--overlapped", "0x1234", "--times", "2")
    done = evkit("iocp", "post", *words)
    assert done.stdout == "bytes=4294967295 key=0xffffffffffffffff overlapped=0x1234\n" * 2
    [event] = valid(evkit("iocp", "post", "--key", "7", "--json").stdout)
    assert (event["key"], event["overlapped"], event["error"]) == ("0x7", "0x0", 0)


def test_watch_tells_what_changes(tmp_path: Path, valid: Valid) -> None:
    folder = tmp_path / "watched"
    folder.mkdir()
    command = [
        sys.executable,
        "-m",
        "toolkit",
        "iocp",
        "watch",
        str(folder),
        "--count",
        "1",
        "--timeout",
        "60s",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "--json", "--ready-fd", "2"], stdout=pipe, stderr=pipe) as watcher:
        assert watcher.stderr is not None
        assert watcher.stderr.readline().strip() == b""  # it watches now
        (folder / "new").touch()
        output, _ = watcher.communicate(timeout=120)
    [event] = valid(output.decode())
    assert (watcher.returncode, event["action"], event["name"]) == (0, "added", "new")


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (("iocp", "read", "no-such-file"), "evkit iocp read: no such file or pipe: no-such-file", 2),
        (("iocp", "read", "."), "evkit iocp read: a directory, .; give a file or a pipe", 2),
        (("iocp", "watch", "no-such-directory"), "evkit iocp watch: no such directory: no-such-directory", 2),
        (("iocp", "watch", ".", "--timeout", "100ms"), "", 124),
        (("iocp", "post", "--bytes", "4294967296"), "evkit iocp post: invalid value for '--bytes'", 2),
        (("iocp", "post", "--key", "-1"), "evkit iocp post: invalid value for '--key'", 2),
        (
            ("iocp", "post", "--key", "1_0"),
            "evkit iocp post: invalid value for '--key': '1_0' is not a number",
            2,
        ),
        (
            ("iocp", "post", "--key", "0x1_0"),
            "evkit iocp post: invalid value for '--key': '0x1_0' is not a number",
            2,
        ),
        (
            ("iocp", "post", "--overlapped", ""),
            "evkit iocp post: invalid value for '--overlapped': '' is not a",
            2,
        ),
        (
            ("iocp", "post", "--times", "0"),
            "evkit iocp post: invalid value for '--times': 0 is nothing to do",
            2,
        ),
        (("iocp", "read", "x", "--naive-eof", "--naive-offset"), "evkit iocp read: --naive-offset and", 2),
        (
            ("iocp", "read", "x", "--naive-eof", "--times", "0"),
            "evkit iocp read: invalid value for '--times': 0",
            2,
        ),
        (("iocp", "read", ""), "evkit iocp read: an empty name is no file", 2),
        (("iocp", "read", r"\\.\PIPE\\"[:-1]), r"evkit iocp read: \\.\PIPE\ holds all pipes", 2),
        (("iocp", "read", "what*?"), "evkit iocp read: no file can have this name: what*?", 2),
        (
            ("iocp", "watch", ".", "--count", "0"),
            "evkit iocp watch: invalid value for '--count': 0 is nothing",
            2,
        ),
        (("iocp", "watch", ""), "evkit iocp watch: an empty name is no directory", 2),
        (("iocp", "watch", "what*?"), "evkit iocp watch: no directory can have this name: what*?", 2),
        (
            ("iocp", "stress", "posts", "--baseline", "."),
            "evkit iocp stress: --baseline .: Is a directory",
            2,
        ),
        (("tail", r"\\.\pipe"), r"evkit tail: \\.\pipe holds all pipes; give the name of one", 2),
        (("tail", "--exit-by", "eventfd", "x"), "evkit tail: --exit-by eventfd is for Linux; here Ctrl-C", 2),
        (("tail", "no-such-file"), "evkit tail: no such file or pipe: no-such-file", 2),
        (("epoll", "demo"), "evkit epoll demo: epoll is a primitive of Linux, and this is Windows", 77),
        (("eventfd", "read"), "evkit eventfd read: eventfd is a primitive of Linux", 77),
        (("case", "run", "iocp/no-such-case"), "evkit case run: no case matches 'iocp/no-such-case'", 2),
        (("iocp", "stress", "no-such-stressor"), "evkit iocp stress: no stressor matches", 2),
    ],
)
def test_what_is_refused_is_refused_in_one_line(
    evkit: "Evkit", arguments: tuple[str, ...], said: str, status: int
) -> None:
    done = evkit(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) <= 1


def test_post_takes_numbers_as_every_command_does(evkit: "Evkit") -> None:
    done = evkit("iocp", "post", "--bytes", "007", "--key", "100k", "--overlapped", "0Xf0")
    assert (done.returncode, done.stdout) == (0, "bytes=7 key=0x186a0 overlapped=0xf0\n")


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        (("iocp", "post", "--times", "10k"), ""),
        (("iocp", "post", "--times", "10k"), "1"),
        (("iocp", "demo", "--json"), ""),
        (("tail", "--quiet", "big"), ""),
        (("--help",), ""),
    ],
)
def test_a_reader_that_leaves_early_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], unbuffered: str
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    (tmp_path / "big").write_bytes(b"a line\n" * 20_000)
    command = [sys.executable, "-m", "toolkit", *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(120)) == (b"", 141)


def test_a_refusal_that_nobody_reads_keeps_its_status(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toolkit", "iocp", "read", "no-such-file"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
        assert process.stdout is not None
        assert (process.stdout.read(), process.wait(120)) == (b"", 2)


def test_changes_are_told_also_when_the_directory_then_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def twice(directory: OverlappedFile, operation: Operation, **options: Any) -> None:  # noqa: ANN401  start_watch's
        """The second call finds no directory behind its handle: Wine keeps silent when one is removed."""
        calls.append(1)
        if len(calls) == 1:
            start_watch(directory, operation, **options)
        else:
            with OverlappedFile.open(str(tmp_path / "new")) as file:
                start_watch(file, operation, **options)

    monkeypatch.setattr(directory_watch, "start_watch", twice)
    changes = directory_watch.watch_directory(str(tmp_path), False, None, (tmp_path / "new").touch)
    assert next(changes) == directory_watch.ChangeEvent("added", "new")
    with pytest.raises(directory_watch.CannotWatch, match=r"any longer: ERROR_\w+ \(\d+\); was it removed"):
        for _ in changes:
            pass


def test_a_broken_pipe_of_a_call_is_not_taken_for_that_of_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from toolkit.cli import run

    with NamedPipe.create() as pipe:
        HandleSource.open(pipe.name).close()

        def broken(_name: str) -> None:
            pipe.write(Operation(data=b"nobody is there"))

        monkeypatch.setattr(HandleSource, "open", broken)
        assert run._status(run.root(), ["iocp", "read", "log"]) == 99
        said = f"evkit iocp read: WriteFile({pipe.handle:#x}"
    error = capsys.readouterr().err
    assert error.startswith(said)
    assert error.endswith("ERROR_NO_DATA (232)\n")


def test_names_of_calls_keep_their_capitals(capsys: pytest.CaptureFixture[str]) -> None:
    from toolkit.cli import run

    said = [
        "ReadFile(0x54, 4096, 0): ERROR_INVALID_HANDLE (6)",
        "CreateFileW: error 4711",
        "SIGKILL stays",
        "Got an unexpected argument",
        "No such option: --nope",
        "Can't",
    ]
    for one in said:
        run._say(["iocp", "read"], one)
    written = [one.removeprefix("evkit iocp read: ") for one in capsys.readouterr().err.splitlines()]
    assert written == [*said[:3], "got an unexpected argument", "no such option: --nope", "can't"]


def test_tail_reads_files_and_pipes(evkit: "Evkit", tmp_path: Path, valid: Valid) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo\nthree")
    assert evkit("tail", "--quiet", "a").stdout == "one\ntwo\nthree\n"
    (tmp_path / "b").write_bytes(b"1\n2\n")
    done = evkit("tail", "a", "b")
    assert sorted(done.stdout.splitlines()) == ["a: one", "a: three", "a: two", "b: 1", "b: 2"]
    assert done.stderr.startswith("register signal 2 with port 0x")
    done = evkit("tail", "a", "--timeout", "60s")
    assert done.stdout == "one\ntwo\nthree\n"
    assert [line.split()[0] for line in done.stderr.splitlines()] == [
        "register",
        "register",
    ]  # no signal came
    events = valid(evkit("tail", "--quiet", "--json", "a").stdout)
    assert [event["line"] for event in events] == ["one", "two", "three"]


def test_doctor_tries_and_map_maps(evkit: "Evkit", valid: Valid) -> None:
    records = valid(evkit("doctor", "--json").stdout)
    features = {record["name"]: record["available"] for record in records if record["type"] == "feature"}
    for name in (
        "iocp",
        "iocp_batch",
        "iocp_skip",
        "cancel_io_ex",
        "socket_extensions",
        "job_port",
        "afd_poll",
    ):
        assert features[name] is True
    assert features["epoll"] is False
    rows = valid(evkit("map", "--json").stdout)
    assert any("CreateIoCompletionPort" in row["iocp"] for row in rows)
    assert evkit("doctor", "epoll").returncode == 77
