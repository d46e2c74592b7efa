"""Cases that misbehave in every way a case can: each gets its verdict, and nothing and nobody else is harmed."""

import json
import signal
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pytest

if TYPE_CHECKING:
    from tests.engine.conftest import Engine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases are forked on Linux")

VERDICTS = {
    "crash": ("error", "ended without a verdict (killed by SIGSEGV)"),
    "daemon": ("error", "left running: "),
    "early": ("error", "ended without a verdict (exit status 0)"),
    "flood": ("timeout", "still running at its deadline"),
    "hang": ("timeout", "still running at its deadline"),
    "junk": ("error", "13 packets on its channel are no messages"),
    "leak": ("pass", None),
    "mute": ("error", "ended without a verdict (exit status 70)"),
    "noise": ("pass", None),
    "noisy-crash": (
        "error",
        "ended without a verdict (exit status 3); it printed: \x1b[2J\\xff\x00 last words",
    ),
    "parricide": ("error", "the runner was killed from within the case"),
    "raises": ("error", "SystemExit at raises.py:"),
    "runaway": ("error", "left running: "),
    "silent": ("error", "it made no check that decides"),
    "spin": ("timeout", "still running at its deadline"),
    "stop": ("timeout", "still running at its deadline"),
    "tidy": ("pass", None),
}


@pytest.mark.once
@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_each_gets_its_verdict_and_leaves_nothing(engine_of_cases: "Engine", name: str) -> None:
    status, reason = VERDICTS[name]
    timeout = "1s" if status == "timeout" else "30s"
    case = engine_of_cases.cases(f"hostile/{name}", "--timeout", timeout)[f"hostile/{name}"]
    assert case["status"] == status, case["reason"]
    assert case.get("reason", "").startswith(reason or "")
    if name not in ("silent", "parricide"):  # what was checked before it went wrong is kept
        assert case["checks"][0]["claim"] == f"hostile-{name}"


@pytest.mark.once
def test_every_one_of_them_is_here(engine_of_cases: "Engine") -> None:
    listed = engine_of_cases.run("case", "list", "--primitive", "hostile", "--json").stdout
    assert [json.loads(line)["id"] for line in listed.splitlines()] == [
        f"hostile/{name}" for name in sorted(VERDICTS)
    ]


@pytest.mark.once  # the cases wait for their deadlines
def test_side_by_side_they_harm_neither_each_other_nor_a_good_case(engine_of_cases: "Engine") -> None:
    found = engine_of_cases.cases("hostile/*", "eventfd/semaphore", "-j", "3", "--timeout", "3s")
    statuses = {case_id.partition("/")[2]: case["status"] for case_id, case in found.items()}
    assert statuses == {name: status for name, (status, _) in VERDICTS.items()} | {"semaphore": "pass"}
    validator = jsonschema.Draft202012Validator(
        json.loads((files("toolkit.report") / "schema.json").read_text())
    )
    for case in found.values():
        validator.validate(case)


@pytest.mark.once
def test_nothing_a_case_prints_reaches_the_results(engine_of_cases: "Engine") -> None:
    for format_name in ("human", "tap", "junit"):
        done = engine_of_cases.run("case", "run", "hostile/no*", "--format", format_name)
        assert "\x1b" not in done.stdout
        assert "\x00" not in done.stdout
        assert "forged" not in done.stdout
        assert done.stderr == ""
        assert done.returncode == 99


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_the_run_ends_its_cases_end_too(engine_of_cases: "Engine", number: signal.Signals) -> None:
    process = engine_of_cases.start_hanging("case", "run", "hostile/hang", "--json", "--timeout", "10m")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (-number if number is signal.SIGKILL else 128 + number)
    if number is not signal.SIGKILL:
        assert engine_of_cases.left_running() == []
    engine_of_cases.wait_until_nothing_is_left()  # after SIGKILL the kernel tells the keeper (PR_SET_PDEATHSIG)
    assert list(engine_of_cases.folder.iterdir()) == []


@pytest.mark.once
def test_whoever_outlives_a_killed_runner_is_ended_each_time(engine_of_cases: "Engine") -> None:
    """The engine asks the keeper to go as soon as the runner is gone, which is when the keeper begins to clean up."""
    done = engine_of_cases.run("case", "run", "hostile/parricide", "--repeat", "200", "-j", "3", "--json")
    assert done.stdout.count('"the runner was killed from within the case"') >= 200
