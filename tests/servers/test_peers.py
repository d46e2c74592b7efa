"""The C server that the models are compared with does the same work: what it serves and what it refuses is the same."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolkit.servers.contestants import Started, peers
from toolkit.servers.options import ServeOptions

if TYPE_CHECKING:
    from tests.servers.conftest import Serving

pytestmark = [pytest.mark.once, pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")]

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
SERVED = (
    LAST,
    GET + GET + LAST,
    b"GET / HTTP/1.0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost:x\r\nX-Tab:\ta\tb \r\nX-Empty:\r\n\r\n" + LAST,
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /" + LAST,
)
REFUSED = (
    b"NONSENSE\r\n\r\n",
    b"G@T / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nX: a\x01b\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTQ/1.1\r\nHost: x\r\n\r\n",
)


@pytest.fixture(scope="module")
def c_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    contestant = next(
        peer for peer in peers(ServeOptions(), tmp_path_factory.mktemp("peer")) if peer.name == "C epoll"
    )
    with Started(contestant) as running:
        yield running.port


def answers(port: int, *pieces: bytes) -> int:
    """How many were answered well until the server closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        found = b""
        try:
            for piece in pieces:
                client.sendall(piece)
            while chunk := client.recv(65536):
                found += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass  # closed over bytes that it did not want
    return found.count(b"HTTP/1.1 200 OK\r\n")


def test_it_is_as_strict_as_the_models(serving: "Serving", c_port: int) -> None:
    with serving("reactor", "--workers", "1") as server:
        for sent in SERVED:
            assert answers(c_port, sent) == answers(server.port, sent) > 0, sent
        for sent in REFUSED:
            assert answers(c_port, sent) == answers(server.port, sent) == 0, sent
        server.end()


def test_requests_may_come_byte_by_byte(c_port: int) -> None:
    for sent in SERVED:
        assert answers(c_port, *(bytes([byte]) for byte in sent)) == answers(c_port, sent), sent


def test_an_answer_larger_than_the_socket_takes_is_whole(tmp_path: Path) -> None:
    contestant = next(
        peer for peer in peers(ServeOptions(body_size=20_000_000), tmp_path) if peer.name == "C epoll"
    )
    with Started(contestant) as running:
        command = ["curl", "-sS", "--max-time", "60", "-o", "/dev/null", "-w", "%{size_download}"]
        url = f"http://127.0.0.1:{running.port}/"
        done = subprocess.run([*command, url], capture_output=True, text=True, timeout=90, check=True)
    assert done.stdout == "20000000"
