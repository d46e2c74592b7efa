"""How a run ends: its exit code, with and without a list of known differences, whole or interrupted."""

import json
import signal
import sys
import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from junitparser import JUnitXml
from tap.parser import Parser

if TYPE_CHECKING:
    from tests.engine.conftest import Engine

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="cases are forked on Linux"),
]

GOOD = "eventfd/semaphore"


@pytest.fixture
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a test writes its list of known differences."""
    return tmp_path_factory.mktemp("lists") / "list.txt"


@pytest.fixture
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a run writes its results."""
    return tmp_path_factory.mktemp("results") / "out"


@pytest.mark.parametrize(
    ("patterns", "code"),
    [
        ([GOOD], 0),
        ([GOOD, "plain/skips"], 0),
        (["plain/skips"], 77),
        (["plain/*", GOOD], 1),
        (["hostile/spin", GOOD], 124),
        (["hostile/spin", "plain/fails"], 1),
        (["hostile/early", "hostile/spin", "plain/fails"], 99),
    ],
)
def test_the_worst_result_gives_the_exit_code(
    engine_of_cases: "Engine", patterns: list[str], code: int
) -> None:
    done = engine_of_cases.run("case", "run", *patterns, "--timeout", "2s", "--json")
    assert done.returncode == code
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (summary["exit_code"], summary["cases"], summary["interrupted"]) == (
        code,
        len(json_cases(done.stdout)),
        False,
    )


def json_cases(text: str) -> list[dict[str, Any]]:
    return [record for record in map(json.loads, text.splitlines()) if record["type"] == "case"]


def test_a_run_of_skips_says_so(engine_of_cases: "Engine") -> None:
    done = engine_of_cases.run("case", "run", "plain/skips")
    assert "no machine has a #flux capacitor" in done.stdout
    assert done.stderr.startswith("evkit case run: everything selected was skipped; ")


def test_an_empty_share_is_not_a_pass(engine_of_cases: "Engine") -> None:
    done = engine_of_cases.run("case", "run", GOOD, "--shard", "2/2", "--json")
    assert (done.returncode, json_cases(done.stdout)) == (77, [])
    assert "no case to run in this share" in done.stderr


def test_only_a_difference_from_the_list_fails(engine_of_cases: "Engine", lists: Path) -> None:

    def run(text: str, *arguments: str) -> tuple[int, dict[str, Any]]:
        lists.write_text(text)
        done = engine_of_cases.run(
            "case", "run", "plain/*", GOOD, "--json", "--known", str(lists), *arguments
        )
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout.splitlines()[-1])

    code, summary = run("plain/fails#plain-sum@naive fail  # five is a novel's\n")
    assert (code, summary["failed"], summary["unlisted"]) == (0, 1, 0)
    assert run("")[0] == 1
    assert run("plain/fails fail # x\nplain/skips skip # y\n")[0] == 0
    code, summary = run(f"plain/fails fail # x\n{GOOD} fail # it no longer does\n")
    assert (code, summary["unlisted"]) == (1, 1)
    assert run("plain/fails fail # x\nplain/skips pass # y\n")[0] == 1
    assert (
        run(
            "plain/fails#plain-sum@naive fail # x\nplain/fails#plain-order@right fail # y\n",
            "--variant",
            "naive",
        )[0]
        == 0
    )


def test_what_is_known_is_no_failure_in_any_format(engine_of_cases: "Engine", lists: Path) -> None:
    lists.write_text("plain/fails#plain-sum@naive fail  # five is a novel's\n")
    common = ("case", "run", "plain/fails", "--known", str(lists), "--format")
    assert "known: five is a novel's" in engine_of_cases.run(*common, "human").stdout
    [point] = [
        line
        for line in Parser().parse_text(engine_of_cases.run(*common, "tap").stdout)
        if line.category == "test"
    ]
    assert (point.ok, point.todo) == (False, True)
    suites = JUnitXml.fromfile(BytesIO(engine_of_cases.run(*common, "junit").stdout.encode()))  # type: ignore[arg-type]
    assert (suites.tests, suites.failures, suites.skipped) == (1, 0, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plain/fails failed # x", "line 1: the status 'failed' is none of pass, fail, skip, error, timeout"),
        ("plain/fials fail # x", "line 1: there is no case plain/fials; did you mean plain/fails"),
    ],
)
def test_a_broken_list_is_refused_before_any_case_runs(
    engine_of_cases: "Engine", lists: Path, line: str, said: str
) -> None:
    lists.write_text(f"{line}\n")
    done = engine_of_cases.run("case", "run", "hostile/hang", "--timeout", "10m", "--known", str(lists))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_a_file_that_cannot_be_written_is_refused_before_any_case_runs(engine_of_cases: "Engine") -> None:
    done = engine_of_cases.run("case", "run", "hostile/hang", "--timeout", "10m", "-o", "/proc/no/such")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "evkit case run: cannot write '/proc/no/such' (No such file or directory); "
    )


def test_until_fail_stops_after_the_first_that_does_not_pass(engine_of_cases: "Engine") -> None:
    done = engine_of_cases.run("case", "run", "plain/fails", GOOD, "--until-fail", "--json")
    assert done.returncode == 1
    ends = [(case["id"], case["iteration"], case["status"]) for case in json_cases(done.stdout)]
    assert ends == [(GOOD, 1, "pass"), ("plain/fails", 1, "fail")]
    good = engine_of_cases.run("case", "run", GOOD, "--until-fail", "--repeat", "3", "--json")
    assert (good.returncode, [case["iteration"] for case in json_cases(good.stdout)]) == (0, [1, 2, 3])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("format_name", ["human", "jsonl", "tap", "junit"])
def test_an_interrupted_run_writes_all_it_has(
    engine_of_cases: "Engine",
    out: Path,
    format_name: str,
    number: signal.Signals,
) -> None:
    process = engine_of_cases.start_hanging(
        *("case", "run", GOOD, "hostile/hang", "--timeout", "10m", "--format", format_name, "-o", str(out))
    )
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, "")
    assert engine_of_cases.left_running() == []
    held_whole(format_name, out, 128 + number)


def held_whole(format_name: str, out: Path, code: int) -> None:
    """The one case that ended is there, and it is said that the run was interrupted."""
    text = out.read_text()
    assert text.endswith("\n")
    if format_name == "jsonl":
        records = [json.loads(line) for line in text.splitlines()]
        assert [record["type"] for record in records] == ["run", "case", "summary"]
        assert (records[-1]["exit_code"], records[-1]["interrupted"]) == (code, True)
    elif format_name == "tap":
        lines = list(Parser().parse_text(text))
        assert [line.category for line in lines if line.category in ("test", "plan", "bail")] == [
            "test",
            "plan",
            "bail",
        ]
    elif format_name == "junit":
        root = ET.fromstring(text)
        assert [case.get("name") for case in root.iter("testcase")] == ["semaphore"]
        assert {p.get("name"): p.get("value") for p in root.iter("property")}["exit_code"] == str(code)
    else:
        assert "1 case: 1 passed, in " in text
        assert text.endswith("; interrupted\n")
