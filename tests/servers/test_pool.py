"""The process pool: every client's file by its hash, whole after a graceful end, cut after an abrupt one."""

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.conftest import Running, Serving

pytestmark = pytest.mark.once
SIZE = 30_000_000  # beyond what the sockets' buffers hold


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pool") / "file"
    path.write_bytes(os.urandom(1 << 20) * (SIZE >> 20) + b"the end")
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(client: socket.socket) -> tuple[int, str]:
    """How many bytes came, and their hash."""
    found, size = hashlib.sha256(), 0
    while chunk := client.recv(1 << 20):
        found.update(chunk)
        size += len(chunk)
    return size, found.hexdigest()


def workers_of(server: "Running") -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    return [int(number) for number in children.split()]


@pytest.mark.parametrize("send", ["sendfile", "mmap", "splice"])
def test_every_client_gets_the_whole_file(serving: "Serving", file: Path, send: str) -> None:
    found: list[tuple[int, str]] = []

    def client(server: "Running") -> None:
        with server.connect() as connection:
            found.append(fetch(connection))

    with serving("pool", "--file", str(file), "--send", send, "--workers", "2") as server:
        threads = [threading.Thread(target=client, args=(server,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        final = server.end()
    assert found == [(file.stat().st_size, digest(file))] * 8
    assert (final["answered"], final["closed_by_us"], final["lost"]) == (8, 8, 0)


@pytest.mark.parametrize("exit_by", ["signalfd", "self-pipe"])
def test_graceful_lets_transfers_finish_and_the_queue_too(
    serving: "Serving", file: Path, exit_by: str
) -> None:
    options = ("--file", str(file), "--workers", "1", "--exit-by", exit_by, "--drain-timeout", "60s")
    with serving("pool", *options) as server:
        clients = [server.connect() for _ in range(3)]
        first = clients[0].recv(1000)  # under way
        server.process.send_signal(signal.SIGTERM)
        server.until_not_listening()
        rest = clients[0].makefile("rb").read()
        whole = hashlib.sha256(first + rest).hexdigest()
        assert whole == digest(file)
        for client in clients[1:]:
            clients[0].close()
            assert fetch(client) == (file.stat().st_size, digest(file))
            client.close()
        final = server.wait_for_end()
    assert (final["answered"], final["lost"]) == (3, 0)


def test_abrupt_cuts_the_file(serving: "Serving", file: Path) -> None:
    with serving("pool", "--file", str(file), "--workers", "1", "--stop", "abrupt") as server:
        with server.connect() as client:
            first = client.recv(1000)
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(60)
            size = len(first)
            try:
                while chunk := client.recv(1 << 20):
                    size += len(chunk)
            except ConnectionResetError:
                pass  # the kernel closed it over bytes that had not gone out
        assert 0 < size < file.stat().st_size
        final = server.wait_for_end()
    assert (final["answered"], final["lost"]) == (0, 1)


def test_a_killed_worker_takes_only_its_own_client_with_it(serving: "Serving", file: Path) -> None:
    with serving("pool", "--file", str(file), "--workers", "2") as server:
        before = workers_of(server)
        assert len(before) == 2
        with server.connect() as one, server.connect() as two:
            assert one.recv(1000)
            assert two.recv(1000)
            os.kill(before[0], signal.SIGKILL)
            sizes = []
            for client in (one, two):
                try:
                    sizes.append(1000 + fetch(client)[0])
                except ConnectionResetError:
                    sizes.append(0)
            assert max(sizes) == file.stat().st_size
            assert min(sizes) < file.stat().st_size
        with server.connect() as third:
            assert fetch(third) == (file.stat().st_size, digest(file))
        after = workers_of(server)
        assert len(after) == 2
        assert before[0] not in after
        final = server.end()
    assert (final["replaced_workers"], final["lost"], final["answered"]) == (1, 1, 2)


def test_clients_beyond_the_workers_wait_in_the_bounded_queue(serving: "Serving", tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"x" * 1000)
    options = ("--file", str(small), "--workers", "2", "--queue-limit", "8", "--low-water", "2")
    with serving("pool", *options) as server:
        clients = [server.connect() for _ in range(100)]  # nobody reads: each worker lingers with one
        for client in clients:
            assert fetch(client)[0] == 1000
            client.close()
        final = server.end()
    assert (final["answered"], final["refused_connections"]) == (100, 0)
    assert final["queue"]["longest"] == 8
    assert final["queue"]["pauses"] > 0


def test_a_client_that_leaves_is_noticed(serving: "Serving", file: Path) -> None:
    with serving("pool", "--file", str(file), "--workers", "1") as server:
        with server.connect() as client:
            assert client.recv(1000)
        with server.connect() as client:
            assert fetch(client)[0] == file.stat().st_size
        final = server.end()
    assert (final["abandoned"], final["answered"], final["closed_by_client"]) == (1, 1, 1)


def test_ctrl_c_to_the_whole_group_is_one_graceful_end(serving: "Serving", file: Path) -> None:
    options = ("--file", str(file), "--workers", "2", "--exit-by", "self-pipe")
    with serving("pool", *options, start_new_session=True) as server:
        with server.connect() as client:
            first = client.recv(1000)
            os.killpg(server.process.pid, signal.SIGINT)
            rest = client.makefile("rb").read()
            assert hashlib.sha256(first + rest).hexdigest() == digest(file)
        final = server.wait_for_end()
    assert (final["answered"], final["lost"]) == (1, 0)


def test_an_empty_file_and_a_missing_one(serving: "Serving", tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for send in ("sendfile", "mmap", "splice"):
        with serving("pool", "--file", str(empty), "--send", send) as server:
            with server.connect() as client:
                assert client.recv(10) == b""
            assert server.end()["answered"] == 1
    for options in ([], ["--file", str(tmp_path / "missing")]):
        command = [sys.executable, "-m", "toolkit", "serve", "pool", "--port", "0", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
