"""`evkit ... stress` as CI meets it: verdicts, limits, signals, faults of the environment, nothing left behind."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolkit.cli.quantities import duration_ns
from toolkit.lab.machine import may_change_sysctls, sysctl
from toolkit.stress import registry
from toolkit.stress.plan import Plan
from toolkit.stress.promised import repeat_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.stress.conftest import Stress

pytestmark = pytest.mark.once  # the loops are C; the commands' examples start each on every interpreter

_ALL = [
    (primitive, name) for primitive in ("eventfd", "epoll", "signalfd") for name in registry.names(primitive)
]
_PARTS = ("What it does", "What must hold", "References")


@pytest.mark.parametrize(("primitive", "name"), _ALL)
def test_each_stressor_holds_for_a_short_count(stress: Stress, primitive: str, name: str) -> None:
    ran = stress(primitive, name, "--ops", "100", "--workers", "3")
    assert (ran.status, ran.broken()) == (0, set()), ran
    assert ran.stress["ops"] > 0


@pytest.mark.parametrize(("primitive", "name"), _ALL)
def test_each_stressor_tells_its_story(primitive: str, name: str) -> None:
    document = registry.document(primitive, name)
    assert all(part in document for part in _PARTS)
    assert document.partition("\n")[0].endswith(".")


def test_a_rate_is_kept_and_latency_times_every_operation(stress: Stress) -> None:
    ran = stress("eventfd", "ping", "--rate", "2k", "--duration", "500ms", "--latency")
    assert ran.stress["ops"] == pytest.approx(1000, rel=0.05)
    assert ran.stress["latency_ns"]["count"] == ran.stress["ops"]


def test_without_latency_one_in_64_is_timed(stress: Stress) -> None:
    ran = stress("eventfd", "ping", "--ops", "6400", "--workers", "1")
    assert ran.stress["latency_ns"]["count"] == 100


def test_processes_share_one_counter_as_threads_do(stress: Stress) -> None:
    ran = stress("eventfd", "fan-in", "--processes", "--workers", "3", "--ops", "30k")
    assert (ran.status, ran.stress["ops"]) == (0, 30_000)


@pytest.mark.parametrize(
    ("limit", "value", "name"),
    [("--min-rate", "1G", "min-rate"), ("--max-p99", "1ns", "max-p99"), ("--max-p999", "1ns", "max-p999")],
)
def test_a_missed_threshold_fails_and_says_by_how_much(
    stress: Stress, limit: str, value: str, name: str
) -> None:
    ran = stress("eventfd", "ping", "--ops", "10k", limit, value)
    assert ran.status == 1
    [threshold] = ran.stress["thresholds"]
    assert threshold["name"] == name
    assert threshold["missed_by"] > 0


def test_a_reached_threshold_passes(stress: Stress) -> None:
    ran = stress(
        "eventfd", "ping", "--ops", "10k", "--min-rate", "1", "--max-p99", "10s", "--max-spread", "100%"
    )
    assert ran.status == 0
    assert [threshold["ok"] for threshold in ran.stress["thresholds"]] == [True, True, True]


def _save(records: list[dict[str, object]], path: Path) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_a_baseline_of_the_same_machine_passes_and_one_ten_times_faster_fails(
    stress: Stress, tmp_path: Path
) -> None:
    saved = stress("eventfd", "ping", "--ops", "50k")
    same = _save(saved.records, tmp_path / "same.jsonl")
    assert (
        stress("eventfd", "ping", "--ops", "50k", "--baseline", same, "--max-regression", "90%").status == 0
    )
    faster = [
        record | {"ops_per_s": 10 * record["ops_per_s"]} if record["type"] == "stress" else record
        for record in saved.records
    ]
    ran = stress("eventfd", "ping", "--ops", "50k", "--baseline", _save(faster, tmp_path / "faster.jsonl"))
    assert ran.status == 1
    [threshold] = ran.stress["thresholds"]
    assert threshold["observed"] > 0.5


def test_a_slower_machine_is_not_a_regression(stress: Stress, tmp_path: Path) -> None:
    saved = stress("eventfd", "ping", "--ops", "50k")
    twice = [
        record | {"ops_per_s": 4 * record["ops_per_s"], "calibration_per_s": 4 * record["calibration_per_s"]}
        if record["type"] == "stress"
        else record
        for record in saved.records
    ]
    file = _save(twice, tmp_path / "fast-machine.jsonl")
    assert (
        stress("eventfd", "ping", "--ops", "50k", "--baseline", file, "--max-regression", "0.7").status == 0
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no stress record"),
        ("{nonsense", "line 1 is not JSON"),
        ('{"type": "stress", "name": "a/b"}', "only of a/b"),
        ('{"type": "stress", "name": "eventfd/ping", "params": null}', "params that are no object"),
        ('{"type": "stress", "name": "eventfd/ping", "ops_per_s": NaN}', "NaN is no number"),
        ("[" * 100_000, "line 1 is not JSON"),
    ],
)
def test_a_useless_baseline_is_refused(stress: Stress, tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "saved.jsonl"
    file.write_text(content)
    ran = stress("eventfd", "ping", "--ops", "100", "--baseline", str(file))
    assert ran.status == 2
    assert says in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("figure", ["fast", -1, None, [1]])
def test_a_baseline_whose_rate_is_no_rate_is_refused(stress: Stress, tmp_path: Path, figure: object) -> None:
    saved = stress("eventfd", "ping", "--ops", "100")
    spoilt = [record | {"ops_per_s": figure} for record in saved.records if record["type"] == "stress"]
    ran = stress("eventfd", "ping", "--ops", "100", "--baseline", _save(spoilt, tmp_path / "spoilt.jsonl"))
    assert ran.status == 2
    assert "no rate" in ran.stderr


def test_a_baseline_that_lacks_one_of_the_runs_is_refused_before_any_result_could_be_lost(
    stress: Stress, tmp_path: Path
) -> None:
    saved = _save(stress("eventfd", "fan-in", "--ops", "100").records, tmp_path / "saved.jsonl")
    ran = stress("eventfd", "fan-in", "ping", "--ops", "100", "--baseline", saved)
    assert (ran.status, ran.records) == (2, [])
    assert "no record of eventfd/ping" in ran.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--duration", "0s"],
        ["--duration", "0"],
        ["--duration", "1000h"],
        ["--ops", "0"],
        ["--ops", "-5"],
        ["--ops", "99999999999G"],
        ["--workers", "0"],
        ["--workers", "1M"],
        ["--rate", "0"],
        ["--seed", "-1"],
        ["--seed", "99999999999999999999"],
        ["--pin", "9999"],
        ["--pin", "left"],
        ["--max-spread", "much"],
        ["--max-regression", "-1%"],
        ["--baseline", "/nonexistent"],
        ["no-such-stressor"],
    ],
)
def test_absurd_requests_are_refused_in_one_line(stress: Stress, arguments: list[str]) -> None:
    ran = stress("eventfd", *arguments)
    assert ran.status == 2
    assert not any(record["type"] == "stress" for record in ran.records)
    assert ran.stderr.count("\n") == 1
    assert "Traceback" not in ran.stderr


def test_an_option_that_would_change_nothing_is_refused(stress: Stress) -> None:
    ran = stress("epoll", "ctl", "--trigger", "et")
    assert ran.status == 2
    assert "means nothing to ctl; it is for accept-storm, handoff" in ran.stderr


def test_turns_never_fail_and_a_random_order_does(stress: Stress) -> None:
    turns = stress("epoll", "ctl", "--order", "round", "--ops", "9999", "--workers", "1")
    assert (turns.status, turns.stress["figures"]["share_that_succeeded"]) == (0, 1.0)
    random = stress("epoll", "ctl", "--ops", "9999", "--workers", "1")
    assert 0.9 < random.stress["figures"]["share_that_succeeded"] < 0.97


def test_a_thousand_workers(stress: Stress) -> None:
    ran = stress("eventfd", "fan-in", "--workers", "1000", "--ops", "20k")
    assert (ran.status, ran.stress["ops"], len(ran.stress["per_worker"])) == (0, 20_000, 1001)


def _limit(which: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(which, (value, value))


def _start(*arguments: str, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "toolkit", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )


def test_too_few_descriptors_are_an_error_of_the_set_up() -> None:
    process = _start(
        "eventfd", "stress", "ping", "--workers", "100", before=_limit(resource.RLIMIT_NOFILE, 50)
    )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (99, "")
    assert "EMFILE" in err
    assert err.count("\n") == 1


def _as_somebody_else() -> None:
    """Registrations count for the real user; the effective one still may read a Python in root's home."""
    os.setresuid(65534, 0, 0)


@pytest.mark.skipif(may_change_sysctls() is not None, reason=str(may_change_sysctls()))
def test_at_the_users_limit_of_registrations_the_set_up_says_so() -> None:
    with sysctl("fs/epoll/max_user_watches", 20_000):
        process = _start(
            "epoll", "stress", "ready-scan", "--entries", "30k", "--json", before=_as_somebody_else
        )
        out, err = process.communicate(timeout=60)
    assert process.returncode == 99, (out, err)
    assert "epoll_ctl" in err
    assert "ENOSPC" in err
    assert err.count("\n") == 1
    assert '"type": "stress"' not in out


def _running(process: subprocess.Popen[str]) -> str:
    """Waits for the first live line: workers are at work then."""
    assert process.stderr is not None
    return process.stderr.readline()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("kind", [[], ["--processes"]])
def test_a_signal_ends_the_run_and_what_was_done_is_verified(
    number: int, status: int, kind: list[str]
) -> None:
    process = _start("eventfd", "stress", "fan-in", "--duration", "60s", "--progress", "--json", *kind)
    _running(process)
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == status
    record = json.loads(out.splitlines()[-1])
    assert record["interrupted"] is True
    assert record["ops"] > 0
    assert all(invariant["ok"] for invariant in record["invariants"])


def test_stopped_and_continued_it_goes_on_and_still_holds() -> None:
    # with --latency one operation begins when the last one ended, so the stop is within one
    process = _start("eventfd", "stress", "pingpong", "--latency", "--duration", "2s", "--progress", "--json")
    _running(process)
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    time.sleep(0.3)  # the time it stays stopped is the subject, not a way to synchronise
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=30)
    record = json.loads(out.splitlines()[-1])
    assert process.returncode == 0, record
    assert record["latency_ns"]["max"] > 200_000_000


def test_a_killed_worker_process_is_a_failure_that_names_it() -> None:
    process = _start(
        "eventfd", "stress", "fan-in", "--duration", "60s", "--progress", "--processes", "--json"
    )
    _running(process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    record = json.loads(out.splitlines()[-1])
    [death] = [each for each in record["invariants"] if each["name"] == "workers-end-by-themselves"]
    assert "worker 0 (writer) was killed by SIGKILL" in death["reason"]


def test_a_killed_parent_leaves_no_worker_behind() -> None:
    process = _start("eventfd", "stress", "pingpong", "--duration", "60s", "--progress", "--processes")
    _running(process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2
    watched = [os.pidfd_open(int(child)) for child in children]
    process.kill()
    process.communicate(timeout=30)
    for pidfd in watched:
        assert select.select([pidfd], [], [], 10)[0], "a worker outlived its parent"
        os.close(pidfd)


def test_at_the_limit_of_queued_signals_the_sender_waits_and_none_is_lost() -> None:
    process = _start(
        "signalfd", "stress", "queue", "--ops", "2k", "--json", before=_limit(resource.RLIMIT_SIGPENDING, 20)
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    record = json.loads(out.splitlines()[-1])
    assert record["ops"] == 2000
    assert sum(worker.get("again", 0) for worker in record["per_worker"] if worker["role"] == "sender") > 0


def test_more_entries_than_descriptors_are_held_by_helpers_and_a_killed_one_is_named() -> None:
    arguments = ["--entries", "500", "--duration", "3s", "--progress", "--json"]
    process = _start("epoll", "stress", "ready-scan", *arguments, before=_limit(resource.RLIMIT_NOFILE, 300))
    _running(process)
    helpers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(helpers[0]), signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    record = json.loads(out.splitlines()[-1])
    assert process.returncode == 1
    assert record["figures"]["idle_entries"] == 500
    assert [each["name"] for each in record["invariants"] if not each["ok"]] == [
        "helpers-kept-their-descriptors"
    ]
    gone = [pid for pid in helpers if Path(f"/proc/{pid}").exists()]
    assert gone == [], "helpers outlived the run"


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    script = f"{sys.executable} -m toolkit eventfd stress --ops 100 --json 2>{tmp_path}/err | head -1"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert json.loads(done.stdout)["type"] == "run"
    assert (tmp_path / "err").read_text() == ""


@pytest.mark.parametrize("duration", ["1500ms", "2m", "3us", "7ns", "1s"])
def test_the_line_that_repeats_a_run_has_its_duration_as_it_was_written(duration: str) -> None:
    plan = Plan(seed=7, duration_ns=duration_ns(duration))
    assert (
        repeat_line("eventfd/ping", plan, ()) == f"evkit eventfd stress ping --seed 7 --duration {duration}"
    )


def test_the_line_that_repeats_a_run_of_so_many_operations_has_its_duration_too() -> None:
    plan = Plan(seed=7, duration_ns=Plan(seed=7).duration_ns, ops=100)
    assert repeat_line("eventfd/ping", plan, ("ops",)).endswith("--ops 100 --duration 5s")
