"""A stress run whose process group is signalled, whose workers are stopped, and whose children are not all its own."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.once  # the loops are C

_EVKIT = [sys.executable, "-m", "toolkit"]


@contextmanager
def _running(*command: str, limits: dict[int, int] | None = None) -> Iterator[subprocess.Popen[str]]:
    """`command` in a group of its own, once its workers are at work: it has written the first live line."""

    def limit() -> None:
        for number, value in (limits or {}).items():
            resource.setrlimit(number, (value, value))

    process = subprocess.Popen(
        [*command, "--progress", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=limit,
    )
    try:
        assert process.stderr is not None
        assert "holding" in process.stderr.readline()
        yield process
    finally:
        process.kill()
        process.communicate(timeout=30)


def _record(process: subprocess.Popen[str], within_s: float = 60) -> dict[str, Any]:
    out, _ = process.communicate(timeout=within_s)
    record: dict[str, Any] = json.loads(out.splitlines()[-1])
    return record


def _broken(record: dict[str, Any]) -> set[str]:
    return {invariant["name"] for invariant in record["invariants"] if not invariant["ok"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ["epoll", "stress", "handoff", "--processes"],
        ["eventfd", "stress", "overflow", "--processes"],
        ["epoll", "stress", "ready-scan", "--entries", "500"],
    ],
)
def test_a_signal_to_the_whole_group_breaks_nothing(arguments: list[str]) -> None:
    limits = {resource.RLIMIT_NOFILE: 300}  # so that ready-scan has helpers
    with _running(*_EVKIT, *arguments, "--duration", "60s", limits=limits) as process:
        os.killpg(process.pid, signal.SIGTERM)  # as timeout(1) and service managers do
        record = _record(process)
    assert process.returncode == 143
    assert (record["interrupted"], _broken(record)) == (True, set())


def test_a_partner_that_is_stopped_for_good_is_given_up() -> None:
    with _running(*_EVKIT, "eventfd", "stress", "pingpong", "--processes", "--duration", "60s") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[1]), signal.SIGSTOP)
        record = _record(process)
    assert process.returncode == 99
    assert "1 workers did not end" in record["error"]
    assert "progress" in _broken(record)


def test_children_of_the_program_before_are_none_of_ours() -> None:
    inheriting = ["sh", "-c", 'exec 3<&0; (read line <&3) & exec "$@"', "sh"]
    with _running(*inheriting, *_EVKIT, "signalfd", "stress", "sigchld", "--duration", "2s") as process:
        assert process.stdin is not None
        process.stdin.close()  # the shell's child ends while ours do
        process.stdin = None
        record = _record(process)
    assert (process.returncode, _broken(record)) == (0, set())


def test_interrupted_at_the_limit_of_queued_signals_each_thread_still_reads_its_own() -> None:
    command = [*_EVKIT, "signalfd", "stress", "directed", "--workers", "4", "--duration", "60s"]
    with _running(*command, limits={resource.RLIMIT_SIGPENDING: 40}) as process:
        process.send_signal(signal.SIGTERM)
        record = _record(process)
    assert process.returncode == 143
    assert ("error" in record, _broken(record)) == (False, set())


def test_interrupted_in_its_first_half_the_second_is_not_asked_for() -> None:
    with _running(*_EVKIT, "epoll", "stress", "fd-reuse", "--duration", "60s") as process:
        process.send_signal(signal.SIGTERM)
        record = _record(process)
    assert process.returncode == 143
    assert (record["ok"], _broken(record)) == (True, set())
