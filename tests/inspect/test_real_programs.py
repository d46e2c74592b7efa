"""Real programs, each entry held against lsof(8) and /proc."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from toolkit.inspect import EpollRecord, State, survey
from toolkit.inspect.processes import descends_from, list_processes

DEADLINE_S = 60
NGINX = """
daemon off; master_process on; worker_processes 2; pid {folder}/pid; error_log {folder}/errors;
events {{ use epoll; worker_connections 64; }}
http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
uwsgi_temp_path {folder}; scgi_temp_path {folder}; server {{ listen 127.0.0.1:{port}; }} }}
"""
NODE = "require('http').createServer((q, r) => r.end()).listen({port}, '127.0.0.1')"
ASYNCIO = """
import asyncio
{loop}
async def main():
    async with await asyncio.start_server(lambda r, w: None, "127.0.0.1", {port}) as server:
        await server.serve_forever()
{run}
"""


# The programs are the same for every interpreter.
pytestmark = pytest.mark.once


@contextmanager
def free_port() -> Iterator[int]:
    """A port that stays free for whoever sets SO_REUSEADDR, as all these programs do (socket(7)).

    It is bound, and nobody listens: the kernel gives it to no other program that asks for any port.
    """
    with closing(socket.socket()) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def command(program: str, port: int, folder: Path) -> list[str]:
    """How to start a server of that kind, in the foreground."""
    if program == "nginx":
        (folder / "conf").write_text(NGINX.format(folder=folder, port=port))
        return ["nginx", "-c", str(folder / "conf")]
    if program == "redis-server":
        return [
            "redis-server",
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(folder),
        ]
    if program == "node":
        return ["node", "-e", NODE.format(port=port)]
    run = "asyncio.run(main())" if program == "asyncio" else "uvloop.run(main())"
    loop = "" if program == "asyncio" else "import uvloop"
    return [sys.executable, "-c", ASYNCIO.format(loop=loop, run=run, port=port)]


@pytest.fixture(params=["nginx", "redis-server", "node", "asyncio", "uvloop"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, int, socket.socket]]:
    """The program, its first process, and a connection to it."""
    program = request.param
    if program == "uvloop":
        pytest.importorskip("uvloop", reason="uvloop is not installed for this interpreter")
    elif program != "asyncio" and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if shutil.which("lsof") is None:
        pytest.skip("lsof, which the entries are compared with, is not installed")
    with free_port() as port:
        with open(tmp_path / "output", "wb") as output:
            process = subprocess.Popen(command(program, port, tmp_path), stdout=output, stderr=output)
        try:
            with closing(connect(port, process, tmp_path)) as connection:
                yield program, process.pid, connection
        finally:
            process.terminate()
            try:
                process.wait(DEADLINE_S)
            finally:
                process.kill()


def connect(port: int, process: "subprocess.Popen[bytes]", folder: Path) -> socket.socket:
    """A connection as soon as it listens."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        with suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port))
        assert process.poll() is None, (folder / "output").read_text()
        time.sleep(0.01)  # there is nothing to wait on: the next attempt asks again
    pytest.fail(f"nobody listens on {port}")


def by_lsof(pid: int) -> dict[int, tuple[str, str]]:
    """Number to type and name of each descriptor, as lsof has them."""
    done = subprocess.run(
        ["lsof", "-nP", "-p", str(pid), "-F", "ftnT"],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    found: dict[int, tuple[str, str]] = {}
    number, kind = "", ""
    for line in done.stdout.splitlines():
        if line.startswith("f"):
            number = line[1:]
        elif line.startswith("t"):
            kind = line[1:]
        elif line.startswith("n") and number.isdigit():
            found[int(number)] = (kind, line[1:])
        elif line.startswith("TST=") and number.isdigit():
            found[int(number)] = (kind, f"{found.get(int(number), ('', ''))[1]} ({line[4:]})")
    return found


LSOF: dict[str, Callable[[str, str], bool]] = {
    "pipe": lambda kind, _: kind == "FIFO",
    "eventfd": lambda kind, name: kind == "a_inode" and "eventfd" in name,
    "epoll": lambda kind, name: kind == "a_inode" and "eventpoll" in name,
    "timerfd": lambda kind, name: kind == "a_inode" and "timerfd" in name,
    "signalfd": lambda kind, name: kind == "a_inode" and "signalfd" in name,
    "inotify": lambda kind, name: kind == "a_inode" and "inotify" in name,
}


def test_every_entry_agrees_with_lsof(server: tuple[str, int, socket.socket]) -> None:
    program, first, connection = server
    host, port = connection.getpeername()
    pids = await_entry(first, "{}:{}".format(*connection.getsockname()))
    epolls = [record for record in survey(pids).records if isinstance(record, EpollRecord)]
    compared: set[str] = set()
    for record in epolls:
        seen = by_lsof(record.pid)
        assert "eventpoll" in seen[record.fd][1]
        for entry in record.entries:
            assert entry.state is State.LIVE, (program, entry)
            kind, name = seen[entry.tfd]
            target = entry.target
            if target.kind == "socket":
                assert kind in ("IPv4", "IPv6", "unix", "sock"), (kind, name, target)
                if target.protocol == "tcp":
                    ends = "->".join(part for part in (target.local, target.peer) if part)
                    assert name == f"{ends} ({target.socket_state})", target
                    compared.add(str(target.socket_state))
            else:
                assert LSOF[target.kind](kind, name), (kind, name, target)
    assert compared == {"LISTEN", "ESTABLISHED"}
    assert any(f"{host}:{port}" == entry.target.local for record in epolls for entry in record.entries)


def await_entry(first: int, peer: str) -> list[int]:
    """Looks until a process of the server has accepted the connection and watches it; all its processes.

    nginx listens before it forks its workers, so who accepts may be younger than the connection.
    """
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        pids = [pid for pid in list_processes() if pid == first or descends_from(pid, first)]
        records = (record for record in survey(pids).records if isinstance(record, EpollRecord))
        if any(entry.target.peer == peer for record in records for entry in record.entries):
            return pids
    pytest.fail(f"no epoll of the server watches the connection from {peer}")
