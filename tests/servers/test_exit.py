"""The graceful exit of every model: nothing that has begun is lost, and nothing is left behind."""

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.servers.conftest import Serving

pytestmark = pytest.mark.once

DEADLINE_S = 60


@pytest.mark.parametrize("sends", [signal.SIGTERM, signal.SIGINT])
def test_under_load_no_request_is_lost(serving: "Serving", model: str, sends: int) -> None:
    # a client that gets no CPU for longer than idle connections are waited for (10 s here) would ask in vain
    with serving(model, "--drain-timeout", "200s") as server:
        load = server.start_load("--connections", "64", "--duration", "20s")
        final = server.end(sends=sends)
        load.send_signal(signal.SIGTERM)
        out, err = load.communicate(timeout=DEADLINE_S)
        figures: dict[str, Any] = json.loads(out)
    assert final["lost"] == 0
    assert final["answered"] >= 64
    # from the client's side: every request that was sent has its whole answer; new connections are refused. With a
    # listener for each worker, who has come to one by the time it closes is reset by the kernel (tcp_migrate_req 0)
    reset = figures["errors"].get("read ECONNRESET", 0) if model.startswith("reuseport") else 0
    assert figures["unanswered"] <= reset, (figures["unanswered"], figures["errors"], err)
    assert set(figures["errors"]) <= {"connect ECONNREFUSED", "connect ECONNRESET", "read ECONNRESET"}, (
        figures
    )


def test_requests_in_hand_are_finished_before_the_end(serving: "Serving", model: str) -> None:
    with serving(model, "--work-ms", "100", "--workers", "2") as server:
        clients = [server.connect() for _ in range(6)]
        for number, client in enumerate(clients):
            client.sendall(f"GET /echo/{number} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        server.receive(clients[0])
        server.process.send_signal(signal.SIGTERM)
        for number, client in enumerate(clients[1:], 1):
            answer = server.receive(client)
            assert answer.endswith(f"\r\n\r\n{number}\n".encode()), answer
            assert client.recv(100) == b""
            client.close()
        assert clients[0].recv(100) == b""
        clients[0].close()
        final = server.wait_for_end()
    assert (final["answered"], final["lost"]) == (6, 0)


def test_a_request_half_there_is_waited_for(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        with server.connect() as client, server.connect() as idle:
            assert server.ask(client, "/echo/first") == b"first\n"
            client.sendall(b"GET /echo/second HTT")
            server.until_read(client)
            server.process.send_signal(signal.SIGTERM)
            assert idle.recv(100) == b""  # the grace of idle connections is over
            client.sendall(b"P/1.1\r\nHost: x\r\n\r\n")
            answer = server.receive(client)
            assert answer.endswith(b"second\n")
            assert b"Connection: close" in answer
            assert client.recv(100) == b""
        final = server.wait_for_end()
    assert (final["answered"], final["lost"]) == (2, 0)


def test_who_is_queued_in_the_kernel_is_served(serving: "Serving", model: str) -> None:
    with serving(model, "--work-ms", "30", "--workers", "1") as server:
        clients = [server.connect() for _ in range(10)]
        for number, client in enumerate(clients):
            client.sendall(f"GET /echo/{number} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        server.process.send_signal(signal.SIGTERM)
        for number, client in enumerate(clients):
            assert server.receive(client).endswith(f"{number}\n".encode())
            client.close()
        final = server.wait_for_end()
    assert (final["answered"], final["lost"]) == (10, 0)


def test_a_second_signal_ends_it_at_once(serving: "Serving", model: str) -> None:
    with serving(model, "--drain-timeout", "50s") as server, server.connect() as client:
        client.sendall(b"GET / HT")
        server.until_read(client)
        server.process.send_signal(signal.SIGTERM)
        server.until_not_listening()
        assert server.process.poll() is None
        begin = time.monotonic()
        final = server.end()
        assert time.monotonic() - begin < 20
    assert (final["lost"], final["refused_requests"]) == (1, 1)


def test_the_drain_timeout_ends_it(serving: "Serving", model: str) -> None:
    with serving(model, "--drain-timeout", "300ms") as server, server.connect() as client:
        client.sendall(b"GET / HT")
        server.until_read(client)
        final = server.end()
    assert (final["lost"], final["closed_by_us"]) == (1, 1)


def test_idle_connections_do_not_hold_the_end_up(serving: "Serving", model: str) -> None:
    with serving(model, "--drain-timeout", "50s") as server:
        idle = [server.connect() for _ in range(50)]
        server.ask(idle[0])
        server.process.send_signal(signal.SIGTERM)
        for client in idle:
            assert client.recv(100) == b""
            client.close()
        final = server.wait_for_end()
    assert (final["closed_by_us"], final["lost"]) == (50, 0)
