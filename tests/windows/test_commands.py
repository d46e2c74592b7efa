"""The commands on Windows, run as users run them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.primitives.directory_changes import start_watch
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedFile
from toolkit.scheduler import directory_watch

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


def test_post_takes_numbers_as_every_command_does(evkit: "Evkit") -> None:
    done = evkit("iocp", "post", "--bytes", "007", "--key", "100k", "--overlapped", "0Xf0")
    assert (done.returncode, done.stdout) == (0, "bytes=7 key=0x186a0 overlapped=0xf0\n")


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
