"""What goes wrong around a server: no descriptors, a port in use, peers that reset, a stop in the middle."""

import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.conftest import Running, Serving

pytestmark = pytest.mark.once

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def few_descriptors() -> None:
    """A limit that is met before the machine's: also by workers without number, should they be started."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))


def cpu_ticks(server: "Running") -> int:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


# two processes have twice the descriptors, and a hash does not spread evenly: hence so many clients
def test_out_of_descriptors_it_turns_clients_away_and_does_not_spin(serving: "Serving", model: str) -> None:
    with serving(model, preexec_fn=few_descriptors) as server:
        clients = [server.connect() for _ in range(300)]
        answers = []
        for client in clients:
            client.sendall(GET)
        for client in clients:
            try:
                answers.append(server.receive(client)[:12])
            except ConnectionResetError:
                answers.append(b"reset")
        served, turned_away = answers.count(b"HTTP/1.1 200"), answers.count(b"HTTP/1.1 503")
        assert served > 30, answers
        assert turned_away > 20, answers
        begin, ticks = time.monotonic(), cpu_ticks(server)
        time.sleep(0.3)  # what is measured
        busy = (cpu_ticks(server) - ticks) / 100 / (time.monotonic() - begin)
        assert busy < 0.5, "it spins while there are no descriptors"
        for client in clients:
            client.close()
        figures = server.load("--connections", "4", "--requests", "100")  # it has recovered
        assert figures["errors"] == {}
        final = server.end()
    assert final["descriptors_exhausted"] > 0
    assert final["refused_connections"] >= turned_away


def test_a_port_in_use_is_said_in_one_line(model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [
            sys.executable,
            "-m",
            "toolkit",
            "serve",
            *model.split(),
            "--port",
            str(taken.getsockname()[1]),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Address already in use; another program listens there" in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_a_parser_nothing_listens(model: str, tmp_path: Path) -> None:
    (tmp_path / "httptools.py").write_text("raise ImportError")
    command = [sys.executable, "-m", "toolkit", "serve", *model.split(), "--port", "0"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "evkit serve: this needs httptools: install evkit[serve]\n"


def test_processes_that_cannot_start_are_given_up(process_model: str) -> None:
    command = [sys.executable, "-m", "toolkit", "serve", *process_model.split(), "--port", "0"]
    said = ""
    for descriptors in range(8, 64):  # at some number the parent has just enough, and its processes have not

        def few(limit: int = descriptors) -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        done = subprocess.run(
            [*command, "--duration", "30s"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            preexec_fn=few,
        )
        if "in a row" in done.stderr or done.returncode == 0:
            said = done.stderr
            break
        assert (done.returncode, "Too many open files" in done.stderr) == (99, True), done.stderr
    assert done.returncode == 99
    assert said.startswith("evkit serve: worker ")
    assert said.endswith("workers in a row died as soon as they were born; what they said stands above\n")


def test_ipv6(serving: "Serving", model: str) -> None:
    with serving(model, host="::1") as server:
        with server.connect() as client:
            host, port = client.getsockname()[:2]
            assert server.ask(client, "/peer") == f"[{host}]:{port}\n".encode()
        final = server.end()
    assert final["answered"] == 1


def test_a_peer_may_reset_at_any_state(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "100000") as server:
        for sent in [b"", b"GET / HT", GET, GET * 3, GET * 2000] * 20:
            client = server.connect()
            client.sendall(sent)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        with server.connect() as client:
            assert len(server.ask(client)) == 100_000
        final = server.end()
    assert final["accepted"] == 101
    assert final["lost"] == 0


def test_a_reader_that_stalls_does_not_hold_others_and_is_ended(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "30000000", "--idle-timeout", "400ms") as server:
        with server.connect() as stalled, server.connect() as other:
            stalled.sendall(GET)
            assert server.ask(other, "/echo/quick") == b"quick\n"
            server.until_let_go(stalled)
            with pytest.raises((AssertionError, ConnectionResetError)):
                server.receive(stalled)
        final = server.end()
    assert final["refused_requests"] == 1


def test_stopped_and_continued_it_goes_on(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        with server.connect() as client:
            assert server.ask(client, "/echo/before") == b"before\n"
            server.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, server.process.pid, os.WSTOPPED | os.WNOWAIT)
            client.sendall(b"GET /echo/after HTTP/1.1\r\nHost: x\r\n\r\n")
            server.process.send_signal(signal.SIGCONT)
            assert server.receive(client).endswith(b"after\n")
        final = server.end()
    assert final["answered"] == 2


def test_nonsense_options_are_refused_in_one_line() -> None:
    for options in (
        ["half-sync", "--low-water", "2000"],
        ["half-sync", "--processes", "2"],
        ["half-sync", "--workers", "0"],
        ["half-sync", "--workers", "1M"],
        ["reuseport", "--processes", "100k"],
        ["pool", "--file", __file__, "--workers", "100k"],
        ["reactor", "--duration", "0s"],
        ["reactor", "--stats-every", "0s"],
        ["reactor", "--idle-timeout", "0s"],
        ["--compare", "--rounds", "0"],
        ["--compare", "--connections", "0"],
        ["--compare", "--connections", "1M"],
        ["reactor", "--body-size", "2G"],
        ["half-sync", "--host", "not.a.host.invalid"],
        ["no-such-model"],
    ):
        command = [sys.executable, "-m", "toolkit", "serve", *options, "--port", "0"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, preexec_fn=few_descriptors
        )
        assert (done.returncode, done.stdout) == (2, ""), options
        assert done.stderr.count("\n") == 1, done.stderr


def test_a_load_that_cannot_run_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "wrk").write_text("#!/bin/sh\necho unable to allocate >&2\nexit 3\n")
    (tmp_path / "wrk").chmod(0o755)
    command = [sys.executable, "-m", "toolkit", "serve", "--compare", "--rounds", "1", "--duration", "50ms"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False, env=environment)
    assert done.returncode == 99
    assert done.stderr == "evkit serve: the load ended with 3 and no figures: unable to allocate\n"


def test_who_pipelines_and_does_not_read_costs_little(serving: "Serving", model: str) -> None:
    with serving(model, "--body-size", "100000") as server:
        with server.connect() as client, server.connect() as other:
            client.sendall(GET * 2000)  # 200 MB of answers, if they were all made
            for _ in range(20):
                assert len(server.ask(other)) == 100_000
            status = Path(f"/proc/{server.process.pid}/status").read_text()
            peak_kib = int(status.split("VmHWM:")[1].split()[0])
            for _ in range(2000):
                assert len(server.receive(client).partition(b"\r\n\r\n")[2]) == 100_000
        final = server.end()
    assert final["answered"] == 2020
    assert peak_kib < 100_000
