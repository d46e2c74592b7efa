"""Worker processes that are killed: their clients see a close, the others nothing, and another takes the place."""

import os
import select
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.conftest import Running, Serving

pytestmark = pytest.mark.once


def workers_of(server: "Running") -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    return [int(number) for number in children.split()]


def test_a_killed_worker_is_replaced(serving: "Serving", process_model: str) -> None:
    with serving(process_model) as server:
        clients = [server.connect() for _ in range(30)]
        for number, client in enumerate(clients):
            assert server.ask(client, f"/echo/{number}") == b"%d\n" % number
        before = workers_of(server)
        assert len(before) == 3
        os.kill(before[0], signal.SIGKILL)
        closed = 0
        for number, client in enumerate(clients):
            client.settimeout(90)
            try:
                answer = server.ask(client, f"/echo/again{number}")
            except (ConnectionResetError, BrokenPipeError):
                answer = b""
            assert answer in (b"", b"again%d\n" % number)
            closed += answer == b""
            client.close()
        assert closed < 30
        figures = server.load(
            "--connections", "32", "--requests", "500", "--check-echo", "--per-connection", "5"
        )
        assert (figures["errors"], figures["answered"]) == ({}, 500)
        after = workers_of(server)
        assert len(after) == 3
        assert before[0] not in after
        final = server.end()
    assert final["replaced_workers"] == 1
    assert final["closed_by_us"] >= closed


def test_a_worker_killed_under_load_loses_only_its_own(serving: "Serving", process_model: str) -> None:
    with serving(process_model) as server:
        load = server.start_load("--connections", "60", "--duration", "1s", "--check-echo")
        os.kill(workers_of(server)[1], signal.SIGKILL)
        out, err = load.communicate(timeout=90)
        assert load.returncode == 0, err
        assert '"misdelivered": 0' in out
        final = server.end()
    assert final["replaced_workers"] == 1
    assert final["lost"] <= 60


def test_workers_do_not_outlive_their_parent(serving: "Serving", process_model: str) -> None:
    with serving(process_model) as server:
        workers = workers_of(server)
        pidfds = [os.pidfd_open(worker) for worker in workers]
        server.process.kill()
        server.process.wait(90)
        for pidfd in pidfds:
            assert select.select([pidfd], [], [], 90)[0], "a worker is still there"
            os.close(pidfd)
