"""JSON Lines of a whole run, each line held against the schema."""

import json
from collections.abc import Callable
from importlib.resources import files
from types import SimpleNamespace

import jsonschema

Written = Callable[..., str]
Samples = SimpleNamespace


def test_every_line_is_valid_and_says_what_was_found(written: Written, samples: Samples) -> None:
    validator = jsonschema.Draft202012Validator(
        json.loads((files("toolkit.report") / "schema.json").read_text())
    )
    records = [json.loads(line) for line in written("jsonl", samples.everything, signal=2).splitlines()]
    for record in records:
        validator.validate(record)
    assert [record["type"] for record in records] == ["run", *["case"] * len(samples.everything), "summary"]
    summary = records[-1]
    assert (summary["cases"], summary["passed"], summary["exit_code"]) == (8, 3, 130)
    assert summary["interrupted"] is True
    assert records[2]["checks"][1]["observed"] == samples.failed.checks[1].observed
    assert "reason" not in records[1]
    assert records[7]["known"]["as_listed"] is False
