"""A server under test: the real command in its own process, ended by a real signal, its ledgers checked."""

import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

VALIDATOR = jsonschema.Draft202012Validator(json.loads((files("toolkit.report") / "schema.json").read_text()))
DEADLINE_S = 90
HTTP_MODELS = (
    "half-sync",
    "half-reactor",
    "reactor",
    "reactor --workers 1",
    "leader-follower",
    "reuseport",
    "exclusive",
    "reuseport --processes 2",
    "exclusive --processes 2",
)
PROTOCOL_MODELS = (
    "half-sync",
    "half-reactor",
    "reactor",
    "leader-follower",
    "reuseport",
    "exclusive --processes 2",
)
"""One of each: how many loops or processes there are changes nothing about HTTP."""
PROCESSES = ("reuseport --processes 3", "exclusive --processes 3")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`model` is each model that serves HTTP, `process_model` each whose workers may be processes."""
    if "model" in metafunc.fixturenames:
        about_protocol = metafunc.definition.path.name == "test_http.py"
        metafunc.parametrize("model", PROTOCOL_MODELS if about_protocol else HTTP_MODELS)
    if "process_model" in metafunc.fixturenames:
        metafunc.parametrize("process_model", PROCESSES)


ESTABLISHED, LISTEN = 1, 10  # include/net/tcp_states.h


def tcp_sockets(port: int) -> Iterator[tuple[int, int, int]]:
    """Of each socket on our side of `port`: the other side's port, its state, bytes not read yet, or for a
    listener the connections that wait to be accepted (proc_net_tcp(5))."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, queues, *_ = line.split()
        if int(local.rpartition(":")[2], 16) == port:
            yield int(remote.rpartition(":")[2], 16), int(state, 16), int(queues.partition(":")[2], 16)


def listeners(port: int) -> set[int]:
    """The inode of each socket that listens on `port`: another program may have the same port a moment later."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {
        int(row[9])
        for row in rows
        if int(row[3], 16) == LISTEN and int(row[1].rpartition(":")[2], 16) == port
    }


def until(condition: Callable[[], bool], what: str) -> None:
    """Asks again and again, until it is so."""
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.001)  # the kernel's socket table gives no event: the next look asks again


class Running:
    """`final` is the server's last record, once it has ended."""

    def __init__(self, process: subprocess.Popen[str], port: int, host: str) -> None:
        self.process = process
        self.port = port
        self.host = host
        self.final: dict[str, Any] = {}
        self._listeners = listeners(port)
        assert self._listeners

    def connect(self) -> socket.socket:
        """A client with a deadline on everything."""
        return socket.create_connection((self.host, self.port), timeout=DEADLINE_S)

    @staticmethod
    def receive(client: socket.socket) -> bytes:
        """One answer and not a byte more: head, and as much body as Content-Length says; less at end of file."""
        data = bytearray()
        while not data.endswith(b"\r\n\r\n"):
            byte = client.recv(1)
            if not byte:
                return bytes(data)
            data += byte
        left = int(data.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while left:
            chunk = client.recv(left)
            assert chunk, f"cut, {left} bytes before the end"
            left -= len(chunk)
            data += chunk
        return bytes(data)

    @classmethod
    def ask(cls, client: socket.socket, target: str = "/", extra: str = "") -> bytes:
        """Sends a GET and returns the body of the answer."""
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n{extra}\r\n".encode())
        return cls.receive(client).partition(b"\r\n\r\n")[2]

    def until_read(self, client: socket.socket) -> None:
        """Until the server has read all that `client` has sent."""
        mine = client.getsockname()[1]

        def is_read() -> bool:
            [unsent] = struct.unpack("i", fcntl.ioctl(client, termios.TIOCOUTQ, bytes(4)))
            return unsent == 0 and (mine, ESTABLISHED, 0) in tcp_sockets(self.port)

        until(is_read, "the server does not read")

    def until_let_go(self, client: socket.socket) -> None:
        """Until the server has ended its side of `client`'s connection, whether or not the client can see it yet."""
        mine = client.getsockname()[1]
        until(
            lambda: all((port, state) != (mine, ESTABLISHED) for port, state, _ in tcp_sockets(self.port)),
            "the server does not let go",
        )

    def until_not_listening(self) -> None:
        """Until the server has obeyed its exit signal so far that nobody can connect any more."""
        until(lambda: not self.listens(), "it goes on listening")

    def listens(self) -> bool:
        """Whether any of its listeners is there still, in whatever process."""
        return not self._listeners.isdisjoint(listeners(self.port))

    def until_all_accepted(self) -> None:
        """Until nobody waits in the listener's backlog: a graceful exit accepts them all, above the queue's limit."""
        until(
            lambda: all(waiting == 0 for _, state, waiting in tcp_sockets(self.port) if state == LISTEN),
            "it does not accept",
        )

    def load(self, *options: str, status: int = 0) -> dict[str, Any]:
        """`evkit load` on it; its record."""
        process = self._popen_load(*options)
        out, err = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == status, err
        figures: dict[str, Any] = json.loads(out)
        VALIDATOR.validate(figures)
        assert figures["sent"] == figures["answered"] + figures["unanswered"]
        return figures

    def start_load(self, *options: str) -> subprocess.Popen[str]:
        """`evkit load` on it, which has had as many answers as it has connections."""
        reader, writer = os.pipe()
        process = self._popen_load("--ready-fd", str(writer), *options, pass_fds=[writer])
        os.close(writer)
        with open(reader, "rb", buffering=0) as ready:
            assert select.select([ready], [], [], DEADLINE_S)[0]
            assert ready.read(1) == b"\n", process.communicate(timeout=DEADLINE_S)
        return process

    def _popen_load(self, *options: str, **settings: Any) -> subprocess.Popen[str]:  # noqa: ANN401  Popen's
        host = f"[{self.host}]" if ":" in self.host else self.host
        command = [sys.executable, "-m", "toolkit", "load", f"{host}:{self.port}", "--json", *options]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
        )

    def end(self, status: int = 0, sends: int = signal.SIGTERM) -> dict[str, Any]:
        """Sends the signal and holds the server to its promises: status, ledgers, nothing left listening."""
        self.process.send_signal(sends)
        return self.wait_for_end(status)

    def wait_for_end(self, status: int = 0) -> dict[str, Any]:
        """As `end`, when something else ends it."""
        out, err = self.process.communicate(timeout=DEADLINE_S)
        assert self.process.returncode == status, err
        assert err == ""
        for line in out.splitlines():
            VALIDATOR.validate(json.loads(line))
        self.final = json.loads(out.splitlines()[-1])
        final = self.final
        assert final["final"], out
        accounted = final["closed_by_us"] + final["closed_by_client"] + final["refused_connections"]
        assert final["accepted"] == accounted, final
        assert final["begun"] == final["answered"] + final["refused_requests"] + final["abandoned"], final
        assert final["ledgers_hold"]
        assert not self.listens()
        return final


Serving = Callable[..., AbstractContextManager[Running]]


@pytest.fixture
def serving() -> Serving:
    """`with serving(MODEL, *OPTIONS) as server:`."""
    return start_server


@contextmanager
def start_server(
    model: str,
    *options: str,
    host: str = "127.0.0.1",
    **settings: Any,  # noqa: ANN401  whatever Popen takes
) -> Iterator[Running]:
    """`evkit serve MODEL --port 0 OPTIONS` that listens; killed at the end if it has not ended by then."""
    reader, writer = os.pipe()
    command = [
        sys.executable,
        "-m",
        "toolkit",
        "serve",
        *model.split(),
        "--port",
        "0",
        "--host",
        host,
        "--json",
    ]
    command += ["--check-owner", "--ready-fd", str(writer), *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=[writer], **settings
    )
    os.close(writer)
    try:
        assert select.select([reader], [], [], DEADLINE_S)[0]
        if os.read(reader, 1) != b"\n":
            raise AssertionError(process.communicate(timeout=DEADLINE_S))
        assert process.stdout is not None
        yield Running(process, json.loads(process.stdout.readline())["port"], host)
        assert process.poll() is not None, "the test must end the server and check its ledgers"
    finally:
        os.close(reader)
        process.kill()
        process.communicate(timeout=DEADLINE_S)
