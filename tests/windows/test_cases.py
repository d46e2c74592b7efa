"""The case catalogue on Windows, or under Wine against the list of what Wine does differently."""

import importlib.resources
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolkit import engine
from toolkit.ffi.wine import wine_version
from toolkit.records import Kind, Status

if TYPE_CHECKING:
    from tests.windows.conftest import Evkit

Valid = Callable[[str], list[dict[str, Any]]]


@pytest.mark.timeout(1200)
def test_every_case_ends_as_documented_or_as_listed(evkit: "Evkit", valid: Valid, tmp_path: Path) -> None:
    known = ("--known", "wine-8.0") if wine_version() else ()
    done = evkit("case", "run", "-j", "2", "--timeout", "60s", "--json", "-o", str(tmp_path / "run"), *known)
    assert done.returncode == 0, done.stdout + done.stderr
    records = valid((tmp_path / "run").read_text(encoding="utf-8"))
    results = {record["id"]: record for record in records if record["type"] == "case"}
    assert set(results) == {case.id for case in engine.select()}
    for case in engine.select():
        checks = results[case.id]["checks"]
        assert {check["claim"] for check in checks} == case.claim_ids, case.id
        deciding = {check["claim"] for check in checks if check["kind"] == Kind.MUST.value}
        assert deciding == case.claim_ids, case.id


@pytest.mark.skipif(not wine_version(), reason="the list is about Wine")
def test_a_list_that_is_wrong_in_either_direction_fails(evkit: "Evkit", tmp_path: Path) -> None:
    shipped = (importlib.resources.files("toolkit.known") / "wine-8.0.txt").read_text(encoding="utf-8")
    (tmp_path / "shorter.txt").write_text(
        "\n".join(line for line in shipped.splitlines() if "accept-context" not in line), encoding="utf-8"
    )
    assert evkit("case", "run", "iocp/accept-context", "--known", "shorter.txt").returncode == 1
    (tmp_path / "longer.txt").write_text(
        f"{shipped}\niocp/zero-length-read fail  # it does not\n", encoding="utf-8"
    )
    assert evkit("case", "run", "iocp/zero-length-read", "--known", "longer.txt").returncode == 1
    assert evkit("case", "run", "iocp/accept-context", "--known", "wine-8.0").returncode == 0


def test_cases_can_be_listed_and_shown(evkit: "Evkit") -> None:
    listed = evkit("case", "list")
    assert {line.split()[0] for line in listed.stdout.splitlines()} >= {case.id for case in engine.select()}
    assert "iocp-eof-is-38" in evkit("case", "list", "--claims").stdout
    shown = evkit("case", "show", "iocp/end-of-file")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "The end of a file is error 38" in shown.stdout
    elsewhere = evkit("case", "run", "epoll/*")
    assert (elsewhere.returncode, elsewhere.stdout) == (77, "")


def test_a_case_past_its_deadline_is_ended(evkit: "Evkit", valid: Valid) -> None:
    done = evkit("case", "run", "iocp/timer-posts", "--timeout", "20ms", "--json")
    assert done.returncode == 124, done.stdout
    [case] = [record for record in valid(done.stdout) if record["type"] == "case"]
    assert case["status"] == Status.TIMEOUT.value


def test_a_trace_shows_the_calls_of_both_variants(evkit: "Evkit", valid: Valid) -> None:
    done = evkit("case", "run", "iocp/skip-on-success", "--trace", "--json")
    [case] = [record for record in valid(done.stdout) if record["type"] == "case"]
    lines = [line["text"] for line in case["trace"] if line["variant"] == "right"]
    assert any(line.startswith("SetFileCompletionNotificationModes(") for line in lines)
    assert any(line.endswith("= FALSE ERROR_IO_PENDING (997)") for line in lines)
    assert any(line.startswith("WSARecv(") for line in lines)
