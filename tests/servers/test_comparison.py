"""`evkit serve --compare`: every model, and whatever peer is there, in one table that can be believed."""

import json
import shutil
import subprocess
import sys
from importlib.resources import files

import jsonschema
import pytest

pytestmark = [pytest.mark.once, pytest.mark.timeout(300)]
VALIDATOR = jsonschema.Draft202012Validator(json.loads((files("toolkit.report") / "schema.json").read_text()))


def compare(*options: str) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "toolkit", "serve", *options, "--compare", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        VALIDATOR.validate(row)
    return rows


def test_all_models_and_peers_in_one_run() -> None:
    rows = compare("--rounds", "1", "--connections", "16", "--duration", "400ms")
    by_name = {row["name"]: row for row in rows}
    expected = {"reactor, 1 loop", "reactor", "half-sync", "half-reactor", "leader-follower", "asyncio"}
    expected |= {
        f"{model}, {how}" for model in ("reuseport", "exclusive") for how in ("threads", "2 processes")
    }
    assert expected <= set(by_name)
    assert ("C epoll" in by_name) == (shutil.which("cc") is not None)
    for name in expected - {"asyncio"}:
        assert (by_name[name]["ledgers_hold"], by_name[name]["lost"]) == (True, 0), name
    for row in rows:
        assert row["answered_per_s"] > 0, row  # type: ignore[operator]  numbers, by the schema
        assert row["cpu_ns_per_request"] > 0, row  # type: ignore[operator]  numbers, by the schema
        assert row["errors"] == 0, row


@pytest.mark.alone  # a ranking by time
def test_dispatch_policies_with_a_slow_worker_are_ranked_by_tail() -> None:
    options = ("half-sync", "--work-ms", "1", "--slow-workers", "1", "--slow-ms", "40", "--connections", "32")
    rows = compare(*options, "--rounds", "1", "--duration", "1s")
    assert {row["name"] for row in rows} == {"shared", "round-robin", "least-loaded", "steal"}
    assert [row["p99_ns"] for row in rows] == sorted(row["p99_ns"] for row in rows)  # type: ignore[type-var]
    assert rows[-1]["name"] == "round-robin"
