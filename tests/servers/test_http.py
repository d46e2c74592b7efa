"""Every model speaks HTTP/1.1: whole and cut requests, many at once, large ones, bad ones, slow ones."""

import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.conftest import Serving

pytestmark = pytest.mark.once

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def test_one_connection_many_requests_of_all_kinds(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "100000") as server:
        with server.connect() as client:
            assert len(server.ask(client)) == 100_000
            assert server.ask(client, "/echo/hello") == b"hello\n"
            host, port = client.getsockname()
            assert server.ask(client, "/peer") == f"{host}:{port}\n".encode()
            client.sendall(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /echo/z HTTP/1.1\r\nHost: x\r\n\r\n")
            answers = b""
            while not answers.endswith(b"z\n"):
                answers += client.recv(65536)
            assert b"Content-Length: 100000" in answers
            assert len(answers) < 1000
        final = server.end()
    assert (final["begun"], final["answered"], final["closed_by_client"]) == (5, 5, 1)


def test_pipelined_requests_are_answered_in_order(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        with server.connect() as client:
            numbers = range(200)
            client.sendall(b"".join(b"GET /echo/%d HTTP/1.1\r\nHost: x\r\n\r\n" % n for n in numbers))
            with client.makefile("rb") as stream:
                for number in numbers:
                    while stream.readline().strip():
                        pass
                    assert stream.readline() == b"%d\n" % number
        final = server.end()
    assert final["answered"] == 200


def test_a_request_byte_by_byte_and_one_right_behind_it(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        with server.connect() as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in b"GET /echo/slow HTTP/1.1\r\nHost: x\r\n\r\n" + GET:
                client.sendall(bytes([byte]))
            assert server.receive(client).endswith(b"\r\n\r\nslow\n")
            assert server.receive(client).endswith(b"\r\n\r\nHello, world\n")
        final = server.end()
    assert (final["begun"], final["answered"]) == (2, 2)


def test_a_body_that_looks_like_the_usual_request_is_a_body(serving: "Serving", model: str) -> None:
    """A loop answers known bytes without parsing them, on connections at rest: not on one in the midst of a body."""
    with serving(model, "--workers", "1") as server:
        with server.connect() as usual, server.connect() as posting:
            for _ in range(3):
                usual.sendall(GET)
                assert server.receive(usual).endswith(b"\r\n\r\nHello, world\n")
            posting.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n")
            posting.sendall(b"Content-Length: %d\r\n\r\n" % len(GET))
            assert posting.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
            posting.sendall(GET)
            assert server.receive(posting).endswith(b"\r\n\r\n" + GET)
            usual.sendall(GET)
            assert server.receive(usual).endswith(b"\r\n\r\nHello, world\n")
        final = server.end()
    assert (final["begun"], final["answered"]) == (5, 5)


def test_large_bodies_both_ways(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "20000000") as server:
        with server.connect() as client:
            size = 10_000_000
            client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size)
            client.sendall(bytes(size))
            assert server.receive(client).endswith(b"received 10000000 bytes\n")
            assert len(server.ask(client)) == 20_000_000
            body = bytes(range(256)) * 1000
            client.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
            assert server.receive(client).partition(b"\r\n\r\n")[2] == body
        server.end()


def test_curl_posts_with_expect_continue(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        command = [
            "curl",
            "-sS",
            "--max-time",
            "20",
            "--data-binary",
            "@-",
            f"http://127.0.0.1:{server.port}/",
        ]
        done = subprocess.run(command, input=bytes(3_000_000), capture_output=True, timeout=60, check=True)
        assert done.stdout == b"received 3000000 bytes\n"
        server.end()


BAD = (
    (b"NONSENSE\r\n\r\n", b"400"),
    (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"400"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"400"),  # a TLS hello
    (b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000, b"431"),
    (b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" + bytes(1_100_000), b"413"),
)


def test_a_bad_request_is_answered_and_closed(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        for sent, status in BAD:
            with server.connect() as client:
                client.sendall(sent)
                assert server.receive(client).startswith(b"HTTP/1.1 " + status + b" "), sent[:80]
                assert client.recv(100) == b""
        final = server.end()
    assert (final["bad"], final["begun"], final["answered"]) == (len(BAD),) * 3


def test_a_good_request_before_a_bad_one_is_answered_too(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        with server.connect() as client:
            client.sendall(GET + b"NONSENSE\r\n\r\n")
            assert server.receive(client).startswith(b"HTTP/1.1 200 ")
            assert server.receive(client).startswith(b"HTTP/1.1 400 ")
            assert client.recv(100) == b""
        final = server.end()
    assert (final["begun"], final["answered"]) == (2, 2)


def test_connection_close_and_http_1_0_end_after_the_answer(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        for request in (GET.replace(b"Host", b"Connection: close\r\nHost"), b"GET / HTTP/1.0\r\n\r\n"):
            with server.connect() as client:
                client.sendall(request)
                answer = server.receive(client)
                assert b"Connection: close" in answer
                assert client.recv(100) == b""
        final = server.end()
    assert final["closed_by_us"] == 2


def test_a_half_closed_client_gets_its_answer(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "5000000") as server:
        with server.connect() as client:
            client.sendall(GET)
            client.shutdown(socket.SHUT_WR)
            assert server.receive(client).startswith(b"HTTP/1.1 200")
            assert client.recv(100) == b""
        final = server.end()
    assert (final["answered"], final["closed_by_client"]) == (1, 1)


def test_silent_clients_are_ended_and_half_requests_told_why(serving: "Serving", model: str) -> None:
    with serving(model, "--idle-timeout", "400ms") as server:
        with server.connect() as silent, server.connect() as halfway:
            halfway.sendall(b"GET / HTT")
            assert server.receive(halfway).startswith(b"HTTP/1.1 408 ")
            assert halfway.recv(100) == b""
            assert silent.recv(100) == b""
        final = server.end()
    assert (final["timed_out"], final["refused_requests"], final["closed_by_us"]) == (2, 1, 2)


def test_dribbling_keeps_nobody_alive(serving: "Serving", model: str) -> None:
    """Slowloris: a head that goes on growing is no progress."""
    with serving(model, "--idle-timeout", "400ms") as server:
        with server.connect() as client:
            client.settimeout(0.05)
            begin = time.monotonic()
            answer = b""
            client.sendall(b"GET / HTTP/1.1\r\nX: ")
            while not answer and time.monotonic() - begin < 30:
                client.sendall(b"G")
                try:
                    answer = client.recv(100)
                except TimeoutError:
                    continue
            assert answer.startswith(b"HTTP/1.1 408 ")
        server.end()


def test_a_thousand_slow_clients_do_not_delay_others(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        slow = [server.connect() for _ in range(1000)]
        for client in slow:
            client.sendall(b"GET / HTTP/1.1\r\nHo")
        alone = server.load("--connections", "4", "--requests", "400")
        assert alone["errors"] == {}
        for client in slow:
            client.sendall(b"st: x\r\n\r\n")
        for client in slow:
            assert server.receive(client).endswith(b"Hello, world\n")
            client.close()
        final = server.end()
    assert final["answered"] == 1400


def test_one_answer_for_many_reaches_each_whole_when_windows_are_full(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "60000", "--workers", "1") as server:
        clients = [server.connect() for _ in range(10)]
        for _ in range(100):  # 6 MB for each, more than fits on its way: at some answer the window is full
            for client in clients:
                client.sendall(GET)
        for client in clients:
            for _ in range(100):
                assert len(server.receive(client).partition(b"\r\n\r\n")[2]) == 60_000
            client.close()
        final = server.end()
    assert final["answered"] == 1000
