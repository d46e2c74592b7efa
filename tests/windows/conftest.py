"""What the Windows tests share. On other systems this folder is not collected: `tox -e wine` runs it under Wine."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "win32":
    collect_ignore_glob = ["test_*.py"]

DEADLINE_S = 1100  # the whole catalogue starts a hundred interpreters

Evkit = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def evkit(tmp_path: Path) -> Evkit:
    """Runs `evkit ARGUMENTS` in an empty folder and returns how it ended."""

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "toolkit", *arguments],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE_S,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def valid() -> Callable[[str], list[dict[str, Any]]]:
    """The records of a command's output, each held against the schema in the package."""
    import jsonschema

    import toolkit.report

    schema = json.loads((Path(toolkit.report.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    del schema[
        "$id"
    ]  # jsonschema before 4.18, the last that loads under Wine 8.0, resolves nothing against a urn:
    validator = jsonschema.Draft202012Validator(schema)

    def check(text: str) -> list[dict[str, Any]]:
        records = [json.loads(line) for line in text.splitlines()]
        for record in records:
            validator.validate(record)
            assert next(iter(record)) == "type"
        return records

    return check
