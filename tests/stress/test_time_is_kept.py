"""A run ends when its time is over and keeps its rate, however long one operation waits for others."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.once  # the loops are C

_NOBODY_ELSE = 54_321
_SAMPLE = 64  # loops.c: one operation in so many looks at the clock


def _run(*arguments: str, queued: int | None = None) -> tuple[int, dict[str, Any]]:
    """The exit status and the record of `evkit ARGUMENTS`, which may have `queued` signals pending."""

    def limit() -> None:
        if queued is not None:
            if os.geteuid() == 0:
                os.setresuid(_NOBODY_ELSE, 0, 0)  # pending signals count for the real user
            resource.setrlimit(resource.RLIMIT_SIGPENDING, (queued, queued))

    done = subprocess.run(
        [sys.executable, "-m", "toolkit", *arguments, "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=limit,
        check=False,
    )
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


def test_writers_that_wait_for_each_other_end_in_time() -> None:
    workers = 300
    status, record = _run("eventfd", "stress", "overflow", "--workers", str(workers), "--duration", "50ms")
    assert status == 0
    assert record["ops"] < workers * _SAMPLE / 2


def test_senders_that_can_never_send_end_in_time() -> None:
    status, record = _run("signalfd", "stress", "directed", "--workers", "2", "--duration", "300ms", queued=0)
    assert status == 1
    broken = [invariant["name"] for invariant in record["invariants"] if not invariant["ok"]]
    assert broken == ["work-was-done"]


def test_what_failed_for_now_is_tried_again_in_its_own_time() -> None:
    senders, rate = 8, 800  # all of them every 10 ms, at once, where there is room for one signal
    asked = ["--workers", str(senders), "--rate", str(rate), "--ops", "400"]
    _, record = _run("signalfd", "stress", "queue", *asked, queued=1)
    again = sum(worker.get("again", 0) for worker in record["per_worker"] if worker["role"] == "sender")
    assert record["ops"] == 400
    turns = rate * record["ran_ns"] / 1e9 + senders
    assert record["ops"] + again > turns, "each try waited for the next turn"
