"""`evkit load` against real servers that behave, stall, mix answers up, or are not there."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

pytestmark = pytest.mark.once

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def load(port: int, *options: str, status: int = 0) -> dict[str, Any]:
    done = run(f"127.0.0.1:{port}", "--json", *options)
    assert done.returncode == status, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    assert figures["type"] == "load"
    assert figures["sent"] == figures["answered"] + figures["unanswered"]
    return figures


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "toolkit", "load", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)


@contextmanager
def peer(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A thread for each client runs `serve`; the port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def guarded(client: socket.socket) -> None:
        with client, suppress(ConnectionError):
            serve(client)

    def accepting() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=guarded, args=(client,), daemon=True).start()

    thread = threading.Thread(target=accepting, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def requests_on(client: socket.socket) -> Iterator[bytes]:
    data = b""
    while chunk := client.recv(65536):
        data += chunk
        while b"\r\n\r\n" in data:
            head, _, data = data.partition(b"\r\n\r\n")
            yield head


def test_a_closed_loop_asks_as_often_as_it_is_told() -> None:
    def serve(client: socket.socket) -> None:
        for _ in requests_on(client):
            client.sendall(ANSWER)

    with peer(serve) as port:
        figures = load(port, "--connections", "8", "--requests", "1000")
        again = load(port, "--connections", "2", "--requests", "100", "--per-connection", "10")
    assert (figures["answered"], figures["errors"], figures["opened_connections"]) == (1000, {}, 8)
    assert figures["latency_ns"]["count"] == 1000
    assert again["answered"] == 100
    assert 10 <= again["opened_connections"] <= 12


def test_an_open_loop_shows_a_stall_that_a_closed_loop_hides() -> None:
    """Coordinated omission: the server stalls once for 400 ms; in a closed loop that is one slow answer."""
    stall_s = 0.4

    def stalling_after(count: int) -> Callable[[socket.socket], None]:
        def serve(client: socket.socket) -> None:
            for number, _ in enumerate(requests_on(client)):
                if number == count:
                    time.sleep(stall_s)  # the stall is the subject: it must show in the latencies
                client.sendall(ANSWER)

        return serve

    with peer(stalling_after(100)) as port:
        closed = load(port, "--connections", "1", "--requests", "400")
    with peer(stalling_after(100)) as port:
        opened = load(port, "--connections", "1", "--requests", "400", "--rate", "500")
    stall_ns = stall_s * 1e9
    assert closed["latency_ns"]["max"] > 0.9 * stall_ns
    assert closed["latency_ns"]["p90"] < 0.5 * stall_ns
    # 200 requests were due during the stall: they have waited 200 ms in the mean
    assert opened["latency_ns"]["p90"] > 0.5 * stall_ns
    assert opened["open_loop"]


def test_an_open_loop_keeps_its_rate() -> None:
    def serve(client: socket.socket) -> None:
        for _ in requests_on(client):
            client.sendall(ANSWER)

    with peer(serve) as port:
        figures = load(port, "--connections", "8", "--rate", "200", "--duration", "2s")
    assert figures["sent"] == pytest.approx(400, abs=4)


def test_answers_to_others_are_found() -> None:
    held: list[tuple[socket.socket, bytes]] = []
    lock = threading.Lock()

    def swapping(client: socket.socket) -> None:
        for head in requests_on(client):
            token = head.split()[1].removeprefix(b"/echo/") + b"\n"
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(token), token)
            with lock:
                held.append((client, answer))
                if len(held) == 2:
                    (one, for_one), (two, for_two) = held
                    held.clear()
                    one.sendall(for_two)
                    two.sendall(for_one)

    with peer(swapping) as port:
        figures = load(port, "--connections", "2", "--requests", "10", "--check-echo", status=1)
    assert figures["misdelivered"] >= 5


def test_errors_are_counted_by_kind() -> None:
    def closing(client: socket.socket) -> None:
        next(requests_on(client))

    def refusing(client: socket.socket) -> None:
        for _ in requests_on(client):
            client.sendall(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")

    def babbling(client: socket.socket) -> None:
        next(requests_on(client))
        client.sendall(b"220 smtp ready\r\n\r\n")

    limits = ("--connections", "2", "--requests", "6", "--duration", "20s")
    with peer(closing) as port:
        assert load(port, *limits, status=1)["errors"] == {"closed before the answer": 6}
    with peer(refusing) as port:
        assert load(port, *limits)["errors"] == {"status 503": 6}
        assert load(port, *limits, "--max-errors", "5", status=1)["answered"] == 6
    with peer(babbling) as port:
        [kind] = load(port, *limits, status=1)["errors"]
        assert "not an HTTP/1.1 answer" in kind
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen: nobody else can listen there meanwhile
        figures = load(bound.getsockname()[1], "--connections", "2", "--duration", "300ms", status=1)
    assert set(figures["errors"]) == {"connect ECONNREFUSED"}


def test_thresholds_say_by_how_much() -> None:
    def serve(client: socket.socket) -> None:
        for _ in requests_on(client):
            client.sendall(ANSWER)

    with peer(serve) as port:  # a round trip between two processes takes more than a microsecond
        options = ("--connections", "1", "--requests", "20", "--min-rate", "1M", "--max-p99", "1us")
        done = run(f"127.0.0.1:{port}", *options)
    assert done.returncode == 1
    rate, p99 = done.stderr.splitlines()
    assert "% below --min-rate 1000000" in rate
    assert "times --max-p99 0.001 ms" in p99


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "write 127.0.0.1:8080 or [::1]:8080"),
        (["192.0.2.1:80"], "is not loopback"),
        (["127.0.0.1:99999"], "is not HOST:PORT"),
        (["127.0.0.1:80", "--connections", "0"], "0 is nothing to do; the least is 1"),
        (["127.0.0.1:80", "--connections", "1M"], "1000000 is out of range; it goes from 1 to 100000"),
        (["127.0.0.1:80", "--requests", "0"], "0 is nothing to do; the least is 1"),
        (["127.0.0.1:80", "--rate", "0"], "0 is nothing to do; the least is 1"),
        (["127.0.0.1:80", "--duration", "0s"], "'0s' is no time at all; write 250ms"),
        (["127.0.0.1:80", "--duration", "5"], "write 250ms, 10s or 2m"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
