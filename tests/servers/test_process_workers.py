"""Worker processes that are killed: their clients see a close, the others nothing, and another takes the place."""

import os
import select
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolkit.servers.ledger import PACKED, Published, Tally

if TYPE_CHECKING:
    from tests.servers.conftest import Running, Serving

pytestmark = pytest.mark.once


def workers_of(server: "Running") -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    return [int(number) for number in children.split()]


def clients_of(worker: int, port: int) -> set[int]:
    """The ports of the clients whose connections a worker has: the sockets in proc_net_tcp(5) that it holds."""
    held = set()
    for entry in Path(f"/proc/{worker}/fd").iterdir():
        with suppress(
            FileNotFoundError
        ):  # closed since: a worker that has just been born closes what is not its own
            held.add(str(entry.readlink()))
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, *fields = line.split()
        if int(local.rpartition(":")[2], 16) == port and f"socket:[{fields[6]}]" in held:
            found.add(int(remote.rpartition(":")[2], 16))
    return found - {0}


def is_stopped(pid: int) -> bool:
    """Whether proc_pid_stat(5) says T."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def connect_until_two_own_some(server: "Running", model: str) -> list[socket.socket]:
    """Clients that have been answered, by two workers at least.

    Of those who share a listener the idle one that comes first would take all: whoever has a connection is stopped
    while the next one comes.
    """
    clients: list[socket.socket] = []
    workers = workers_of(server)
    end = time.monotonic() + 60
    while len(owners := [worker for worker in workers if clients_of(worker, server.port)]) < 2:
        stopped = owners if "exclusive" in model else []
        for worker in stopped:
            os.kill(worker, signal.SIGSTOP)
            while not is_stopped(worker):
                assert time.monotonic() < end
        clients.append(server.connect())
        assert server.ask(clients[-1], "/echo/here") == b"here\n"
        for worker in stopped:
            os.kill(worker, signal.SIGCONT)
        assert time.monotonic() < end
    return clients


def test_a_killed_worker_is_replaced(serving: "Serving", process_model: str) -> None:
    with serving(process_model) as server:
        clients = connect_until_two_own_some(server, process_model)
        before = workers_of(server)
        theirs = {worker: clients_of(worker, server.port) for worker in before}
        assert sorted(port for ports in theirs.values() for port in ports) == sorted(
            client.getsockname()[1] for client in clients
        )
        assert len(before) == 3
        victim = next(worker for worker in before if theirs[worker])
        os.kill(victim, signal.SIGKILL)
        closed = set()
        for number, client in enumerate(clients):
            client.settimeout(90)
            try:
                answer = server.ask(client, f"/echo/again{number}")
            except (ConnectionResetError, BrokenPipeError):
                answer = b""
            assert answer in (b"", b"again%d\n" % number)
            if answer == b"":
                closed.add(client.getsockname()[1])
            client.close()
        assert closed == theirs[victim] != set()
        assert len(closed) < len(clients)
        figures = server.load(
            "--connections", "32", "--requests", "500", "--check-echo", "--per-connection", "5"
        )
        assert (figures["errors"], figures["answered"]) == ({}, 500)
        after = workers_of(server)
        assert len(after) == 3
        assert victim not in after
        final = server.end()
    assert final["replaced_workers"] == 1
    assert final["closed_by_us"] >= len(closed)


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


def test_what_is_published_after_a_turn_of_answers_is_the_whole_tally() -> None:
    row = memoryview(bytearray(PACKED.size))
    tally = Tally(accepted=3, closed_by_client=1, abandoned=2, begun=9, answered=7, events=11)
    published = Published(tally, row)
    assert Tally.unpack_from(row) == tally
    tally.events, tally.begun, tally.answered = 2**40, 2**40 - 1, 2**40 - 2
    published.publish_answers()
    assert Tally.unpack_from(row) == tally
    tally.closed_by_us = 2
    published.publish()
    assert Tally.unpack_from(row) == tally
