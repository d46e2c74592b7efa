"""The shipped schema: itself valid, strict about names and types, and never losing a field it once had."""

import json
from importlib.resources import files

import jsonschema
import pytest

from toolkit.records import CaseResult, Check, Kind, Status, Summary, TraceLine, VariantResult
from toolkit.report.context import describe_run
from toolkit.report.jsonl import to_line

SCHEMA = json.loads((files("toolkit.report") / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TYPES = {
    name: entry["properties"]
    for name, entry in SCHEMA["$defs"].items()
    if "type" in entry.get("properties", {})
}
CASE = CaseResult(
    id="epoll/fd-reuse",
    primitive="epoll",
    status=Status.FAIL,
    duration_ns=7,
    iteration=1,
    variants=(VariantResult("naive", Status.FAIL, 5), VariantResult("right", Status.SKIP, 2, "no kcmp")),
    checks=(
        Check(
            "some-claim", Kind.MUST, Status.FAIL, expected=3, observed="0xffffffffffffffff", variant="naive"
        ),
    ),
    trace=(TraceLine("close(3) = 0", "naive"),),
)


def is_valid(record: object) -> bool:
    return VALIDATOR.is_valid(record)


def test_it_is_a_schema_and_each_type_is_reachable() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    reachable = {entry["$ref"].removeprefix("#/$defs/") for entry in SCHEMA["oneOf"]}
    assert reachable == set(TYPES)
    assert {name: fields["type"] for name, fields in TYPES.items()} == {
        name: {"const": name} for name in TYPES
    }


@pytest.mark.parametrize(
    "record",
    [describe_run(["evkit"], seed=1), describe_run([]), CASE, Summary(1, 1, 0, 0, 0, 0, 5, 0)],
    ids=["run", "run-bare", "case", "summary"],
)
def test_what_the_program_writes_is_valid_and_says_its_type_first(record: object) -> None:
    line = to_line(record)
    assert line.startswith('{"type": "')
    VALIDATOR.validate(json.loads(line))


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("status",), "passed"),
        (("status",), "skip"),  # without a reason
        (("duration_ns",), "7"),
        (("duration_ns",), -1),
        (("durationNs",), 7),
        (("id",), "fd-reuse"),
        (("id",), "epoll/FD_reuse"),
        (("checks", 0, "status"), "error"),
        (("checks", 0, "colour"), "red"),
        (("variants", 1, "reason"), ""),
        (("trace", 0, "text"), 5),
        (("type",), "Case"),
    ],
)
def test_a_wrong_name_type_or_value_is_refused(path: tuple[str | int, ...], wrong: object) -> None:
    record = json.loads(to_line(CASE))
    assert is_valid(record)
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = wrong
    assert not is_valid(record)


def test_a_missing_field_is_refused() -> None:
    record = json.loads(to_line(CASE))
    for field in record:
        assert is_valid({k: v for k, v in record.items() if k != field}) == (field == "reason"), field


PROMISED = {
    "run": "type schema_version tool version argv seed context",
    "case": "type id primitive status duration_ns iteration variants reason checks trace",
    "stress": "type name params seed planned_ns ran_ns ops ops_per_s invariants latency_ns per_worker",
    "summary": "type cases passed failed skipped errors timeouts duration_ns exit_code interrupted",
    "epoll": "type pid fd entries",
}
"""What readers of schema_version 1 rely on: fields are only ever added."""


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_no_field_that_was_promised_is_gone(name: str) -> None:
    assert set(PROMISED[name].split()) <= set(TYPES[name])


def test_the_types_of_schema_version_1_are_there() -> None:
    promised = "run step event case stress bench load server epoll eventfd signalfd feature mapping summary"
    assert set(promised.split()) <= set(TYPES)
