"""`evkit bench`: every work by everybody who is here, ratios that say who is slower, and a verdict on the spread."""

import json
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolkit.bench import reference
from toolkit.bench.contest import MEANINGLESS, Contestant, compete, row_of, spread_of
from toolkit.bench.programs import PEERS, Peer
from toolkit.bench.works import WORKS, contestants

pytestmark = pytest.mark.once  # what is timed is C and the kernel, whoever asks

VALIDATOR = jsonschema.Draft202012Validator(json.loads((files("toolkit.report") / "schema.json").read_text()))
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


def _no_signal_may_wait() -> None:
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0))


def bench(
    *arguments: str, status: int = 0, before: Callable[[], None] | None = None
) -> tuple[list[dict[str, Any]], str]:
    done = subprocess.run(
        [sys.executable, "-m", "toolkit", "bench", *arguments, "--json"],
        capture_output=True,
        text=True,
        timeout=100,
        preexec_fn=before,
        check=False,
    )
    assert done.returncode == status, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    for record in records:
        VALIDATOR.validate(record)
    return records, done.stderr


@pytest.fixture(scope="module")
def program() -> Iterator[Path | None]:
    with reference.built() as built:
        yield built


@needs_compiler
@pytest.mark.parametrize("work", WORKS)
def test_everybody_does_every_work(work: str, program: Path) -> None:
    with ExitStack() as stack:
        field = contestants(stack, work, program)
        names = [each.name for each in field]
        assert names[0] == "c"
        assert {"evkit", "loop"} & set(names)
        for contestant in field:
            assert contestant.run(200) > 0, contestant.name


def test_without_a_compiler_only_wake_ups_are_left_out() -> None:
    for work in WORKS:
        with ExitStack() as stack:
            field = contestants(stack, work, None)
        assert bool(field) != work.startswith("wake-")


def test_a_signal_to_oneself_reaches_no_thread_that_would_die_of_it() -> None:
    gate = threading.Event()
    bystander = threading.Thread(target=gate.wait, args=(60,))  # its mask is open
    bystander.start()
    try:
        with ExitStack() as stack:
            for contestant in contestants(stack, "raise-read", None):
                assert contestant.run(500) > 0, contestant.name
    finally:
        gate.set()
        bystander.join()


@needs_compiler
def test_rows_stand_beside_c_and_the_ratio_is_theirs() -> None:
    records, _ = bench("write-read", "--rounds", "3", "--turn", "5ms")
    rows = {record["contestant"]: record for record in records if record["type"] == "bench"}
    assert {"c", "loop", "evkit", "stdlib", "ctypes"} <= set(rows)
    assert "ratio" not in rows["c"]
    for name in ("loop", "evkit", "stdlib", "ctypes"):
        assert rows[name]["ratio_to"] == "c"
    # one Python call costs more than one C call, wherever it runs
    assert rows["evkit"]["ratio"] > 1


def test_without_a_compiler_the_standard_library_is_the_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CC", raising=False)
    records, said = bench("wait-1", "--rounds", "2", "--turn", "2ms")
    rows = [record for record in records if record["type"] == "bench"]
    assert rows[0]["contestant"] == "stdlib"
    assert {row.get("ratio_to") for row in rows[1:]} == {"stdlib"}
    assert "no C compiler here" in said


def test_a_compiler_that_fails_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    _, said = bench("wait-1", status=99)
    assert "could not build the C reference" in said
    assert "Traceback" not in said


@needs_compiler
def test_a_call_that_fails_in_c_is_told_in_one_line() -> None:
    _, said = bench("raise-read", "--rounds", "1", "--turn", "1ms", status=99, before=_no_signal_may_wait)
    assert "the C reference of raise-read" in said
    assert said.splitlines()[-1].endswith("see ulimit -a")


def test_names_in_the_list_stand_apart_from_what_follows() -> None:
    command = [sys.executable, "-m", "toolkit", "bench", "--list", "--peers"]
    listed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    names = {line.split("  ")[0] for line in listed.splitlines()}
    assert names <= {*WORKS, *(peer.stressor for peer in PEERS)}


@needs_compiler
def test_a_compiler_may_come_with_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "cc -DNOTHING='two words'")
    records, _ = bench("wait-1", "--rounds", "1", "--turn", "1ms")
    assert "c" in {record.get("contestant") for record in records}


@pytest.mark.parametrize("compiler", ["no-such-compiler -O2", "cc 'unclosed"])
def test_a_compiler_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, compiler: str) -> None:
    monkeypatch.setenv("CC", compiler)
    _, said = bench("wait-1", status=99)
    assert f"CC={compiler}" in said


@pytest.mark.parametrize(
    "arguments",
    [["no-such-work"], ["--rounds", "0"], ["--rounds", "1M"], ["--turn", "1ns"], ["--turn", "1h"]],
)
def test_absurd_requests_are_refused(arguments: list[str]) -> None:
    records, said = bench(*arguments, status=2)
    assert records == []
    assert said.count("\n") == 1


def test_one_that_is_twice_as_slow_has_a_ratio_of_two() -> None:
    fast, slow = Contestant("fast", lambda ops: ops * 1000), Contestant("slow", lambda ops: ops * 2000)
    rows = compete("work", [fast, slow], rounds=3, round_ns=1_000_000)
    assert [(row.contestant, row.ns_per_op, row.ratio) for row in rows] == [
        ("fast", 1000, None),
        ("slow", 2000, 2.0),
    ]
    assert [row.meaningless for row in rows] == [None, None]


def test_a_spread_that_hides_the_difference_is_called_meaningless() -> None:
    wild = [100.0, 200.0, 400.0, 800.0]
    assert spread_of(wild) > MEANINGLESS
    assert row_of("work", "wild", "base", wild, [100.0] * 4, 1).meaningless is True


_REPORTS = {
    "stress-ng": (
        "stress-ng: metrc: [99] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n"
        "stress-ng: metrc: [99] eventfd           18912      1.00      0.03      0.35     18844.02       49594.71\n",
        18844.02,
    ),
    "perf bench epoll wait": (
        "Run summary [PID 1]: 2 threads monitoring on 64 file-descriptors for 1 secs.\n"
        "Averaged 58708 operations/sec (+- 0.00%), total secs = 1\n",
        2 * 58708,
    ),
    "perf bench epoll ctl": (
        "Run summary [PID 1]: 1 threads doing epoll_ctl ops 64 file-descriptors for 1 secs.\n"
        "Averaged 300 ADD operations (+- 0.00%)\nAveraged 200 MOD operations (+- 0.00%)\n"
        "Averaged 100 DEL operations (+- 0.00%)\n",
        600,
    ),
}


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.title)
def test_a_peers_report_is_read_as_it_is_written(peer: Peer) -> None:
    [(report, rate)] = [found for start, found in _REPORTS.items() if peer.command.startswith(start)]
    assert peer.rate(report, 1) == pytest.approx(rate)
