"""The bounded queue of half-sync: each policy shows what it does with a thousand clients and slow workers."""

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.conftest import Running, Serving

pytestmark = pytest.mark.once

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
CROWD = ("--connections", "1000", "--requests", "1000", "--duration", "50s", "--per-connection", "1")


def resident_kib(server: "Running") -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def crowd_at_a_busy_worker(server: "Running") -> tuple[socket.socket, list[socket.socket]]:
    """A client whose request occupies the only worker for five seconds, and a hundred who have connected since: in the
    order of the kernel's queue, 64 of them fill ours."""
    busy = server.connect()
    busy.sendall(GET)
    server.until_read(busy)
    return busy, [server.connect() for _ in range(100)]


@pytest.mark.parametrize("when_full", ["reject", "shed"])
def test_who_does_not_fit_the_queue_is_answered_503(serving: "Serving", when_full: str) -> None:
    options = ("--workers", "1", "--work-ms", "5000", "--queue-limit", "64", "--when-full", when_full)
    with serving("half-sync", *options) as server:
        busy, crowd = crowd_at_a_busy_worker(server)
        for client in crowd[64:]:
            if when_full == "shed":  # kindly: the request is read first, so that nobody sees a reset
                client.sendall(GET)
            assert server.receive(client).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            assert client.recv(1) == b""
        assert server.receive(busy).startswith(b"HTTP/1.1 200 OK\r\n")
        for client in (busy, *crowd):
            client.close()
        final = server.end()
    assert (final["accepted"], final["refused_connections"], final["answered"]) == (101, 36, 1)
    assert (final["queue"]["longest"], final["queue"]["pauses"]) == (64, 0)


def test_a_thousand_clients_and_a_queue_that_rejects(serving: "Serving") -> None:
    options = ("--work-ms", "5", "--queue-limit", "64", "--when-full", "reject")
    with serving("half-sync", *options) as server:
        figures = server.load(*CROWD)
        final = server.end()
    refused = sum(figures["errors"].values())
    assert set(figures["errors"]) <= {
        "status 503",
        "status 503 unasked",
    }  # the latter: refused before it had asked
    assert final["refused_connections"] >= refused
    assert final["answered"] >= figures["answered"] - figures["errors"].get("status 503", 0)
    assert final["queue"]["longest"] <= 64


def test_pause_serves_everybody_in_the_end_in_flat_memory(serving: "Serving") -> None:
    options = ("--work-ms", "5", "--queue-limit", "64", "--low-water", "16", "--when-full", "pause")
    with serving("half-sync", *options) as server:
        server.load("--connections", "10", "--requests", "100")
        before = resident_kib(server)
        figures = server.load(*CROWD)
        grown = resident_kib(server) - before
        server.until_all_accepted()
        final = server.end()
    assert (figures["answered"], figures["errors"]) == (1000, {})
    assert final["refused_connections"] == 0
    assert final["queue"]["longest"] == 64
    assert final["queue"]["pauses"] > 0
    assert final["queue"]["paused_ns"] > 0
    assert max(final["queue"]["course"]) == 64
    assert grown < 4096, f"{grown} KiB more for 1000 clients that wait in the kernel"


@pytest.mark.parametrize("dispatch", ["shared", "round-robin", "least-loaded", "steal"])
@pytest.mark.parametrize("when_full", ["reject", "pause", "shed"])
def test_every_policy_with_every_dispatch_keeps_its_ledgers(
    serving: "Serving", dispatch: str, when_full: str
) -> None:
    options = ("--dispatch", dispatch, "--when-full", when_full, "--queue-limit", "16", "--work-ms", "2")
    with serving("half-sync", *options) as server:
        figures = server.load(
            "--connections", "200", "--duration", "400ms", "--per-connection", "2", "--check-echo"
        )
        server.until_all_accepted()
        final = server.end()
    assert figures["misdelivered"] == 0
    assert final["queue"]["longest"] <= 16
    assert final["answered"] > 0
    if when_full == "pause":
        assert figures["errors"] == {}
        assert final["refused_connections"] == 0


def test_work_is_spread_as_the_policy_says(serving: "Serving") -> None:
    """With one worker in four slow: in turn each gets the same, shared and least-loaded give the slow one less."""
    slowest_share = {}
    for dispatch in ("shared", "round-robin", "least-loaded", "steal"):
        options = ("--dispatch", dispatch, "--work-ms", "1", "--slow-workers", "1", "--slow-ms", "20")
        with serving("half-sync", *options) as server:
            server.load(
                "--connections", "32", "--requests", "1000", "--per-connection", "1", "--duration", "40s"
            )
            final = server.end()
        slowest_share[dispatch] = final["workers"][0]["share"]
        assert sum(worker["answered"] for worker in final["workers"]) == final["answered"]
    assert slowest_share["round-robin"] == pytest.approx(0.25, abs=0.01), slowest_share
    for dispatch in ("shared", "least-loaded", "steal"):
        assert slowest_share[dispatch] < 0.2, slowest_share


def test_live_figures_come_as_records(serving: "Serving") -> None:
    with serving("half-sync", "--stats-every", "100ms") as server:
        assert server.process.stdout is not None
        live = json.loads(server.process.stdout.readline())
        assert (live["type"], live["final"]) == ("server", False)
        server.end()
