"""The completion-port scheduler: the expected sequence, ends, timers, clean closing, a hundred clients."""

import ctypes
import socket
import threading
import time
from pathlib import Path

import pytest

from toolkit.primitives.named_pipe import NamedPipe
from toolkit.primitives.operation import Operation, in_flight
from toolkit.scheduler.completion_port import CompletionPortScheduler
from toolkit.scheduler.echo import EchoServer
from toolkit.scheduler.handle_source import CannotRead, HandleSource
from toolkit.scheduler.interface import Scheduler
from toolkit.scheduler.read_file import ReadEvent, read_until_zero_bytes


def handles() -> int:
    """How many handles this process has open, by its own count."""
    count = ctypes.c_uint32()
    kernel32 = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]  # only Windows has it
    kernel32.GetCurrentProcess.restype = ctypes.c_void_p
    assert kernel32.GetProcessHandleCount(ctypes.c_void_p(kernel32.GetCurrentProcess()), ctypes.byref(count))
    return count.value


def test_it_offers_the_interface() -> None:
    with CompletionPortScheduler() as scheduler:
        as_interface: Scheduler[HandleSource] = scheduler
        assert as_interface.run() is None


@pytest.mark.parametrize("size", [0, 1, 4552, 8192])
def test_a_file_is_read_to_its_end(tmp_path: Path, size: int) -> None:
    content = bytes(number % 251 for number in range(size))
    path = tmp_path / "content"
    path.write_bytes(content)
    pieces: list[bytes] = []

    async def reader(scheduler: CompletionPortScheduler, source: HandleSource) -> None:
        while data := await scheduler.read(source, 4096):
            pieces.append(data)
        source.close()

    with CompletionPortScheduler() as scheduler:
        scheduler.spawn(reader(scheduler, HandleSource.open(str(path))))
        assert scheduler.run() is None
    assert b"".join(pieces) == content
    assert all(len(piece) == 4096 for piece in pieces[:-1])


def test_an_end_that_is_said_at_once_shows_the_second_fault_too() -> None:
    with NamedPipe.create() as pipe:
        source = HandleSource.open(pipe.name)
        pipe.write(Operation(data=b"all there is"))
    told: list[ReadEvent] = []
    assert read_until_zero_bytes(source, 4096, told.append, 1)
    source.close()
    assert [(event.operation, event.bytes, event.error) for event in told] == [
        ("ReadFile", None, None),
        ("Read", 12, None),
        ("ReadFile", None, None),
        ("ReadFile", None, 109),
        ("GetQueuedCompletionStatus", None, None),
    ]


def test_pipes_are_read_at_the_same_time() -> None:
    pipes = [NamedPipe.create() for _ in range(5)]
    sources = [HandleSource.open(pipe.name) for pipe in pipes]
    got: dict[int, bytes] = dict.fromkeys(range(5), b"")

    async def reader(scheduler: CompletionPortScheduler, number: int) -> None:
        while data := await scheduler.read(sources[number], 16):
            got[number] += data

    async def writer(scheduler: CompletionPortScheduler) -> None:
        for turn in range(3):
            for number in reversed(range(5)):
                pipes[number].write(Operation(data=b"%d%d " % (number, turn)))
            await scheduler.sleep(0)
        for pipe in pipes:
            pipe.close()

    with CompletionPortScheduler() as scheduler:
        for number in range(5):
            scheduler.spawn(reader(scheduler, number))
        scheduler.spawn(writer(scheduler))
        scheduler.run()
    for source in sources:
        source.close()
    assert got == {number: b"%d0 %d1 %d2 " % ((number,) * 3) for number in range(5)}


def test_a_sleep_is_never_short_and_sleeps_end_in_order() -> None:
    order: list[float] = []

    async def sleeper(scheduler: CompletionPortScheduler, seconds: float) -> None:
        began = time.monotonic()
        await scheduler.sleep(seconds)
        # the sum, as a deadline is made: a difference of two readings may round below what was asked for
        assert time.monotonic() >= began + seconds
        order.append(seconds)

    with CompletionPortScheduler() as scheduler:
        for seconds in (0.15, 0.05, 0.1):
            scheduler.spawn(sleeper(scheduler, seconds))
        scheduler.run()
    assert order == [0.05, 0.1, 0.15]


def test_closing_runs_finally_blocks_and_takes_back_the_memory() -> None:
    ended: list[int] = []
    before = in_flight()
    pipes = [NamedPipe.create() for _ in range(3)]
    sources = [HandleSource.open(pipe.name) for pipe in pipes]

    async def reader(scheduler: CompletionPortScheduler, number: int) -> None:
        try:
            await scheduler.read(sources[number], 16)
        finally:
            sources[number].close()
            ended.append(number)

    with CompletionPortScheduler() as scheduler:
        for number in range(3):
            scheduler.spawn(reader(scheduler, number))
        scheduler.spawn(_stop(scheduler, 7))
        assert scheduler.run() == 7
        assert ended == []
    assert sorted(ended) == [0, 1, 2]
    assert in_flight() == before
    for pipe in pipes:
        pipe.close()


async def _stop(scheduler: CompletionPortScheduler, number: int) -> None:
    scheduler.stop(number)
    await scheduler.sleep(0)


def test_a_thousand_schedulers_leak_nothing() -> None:
    def once() -> None:
        with CompletionPortScheduler([2]) as scheduler:
            scheduler.spawn(_stop(scheduler, 2))
            assert scheduler.run() == 2

    once()
    before = handles()
    for _ in range(1000):
        once()
    assert handles() <= before


def test_an_exception_ends_the_run_and_the_others_are_closed() -> None:
    ended: list[str] = []

    async def sleeper(scheduler: CompletionPortScheduler) -> None:
        try:
            await scheduler.sleep(1000)
        finally:
            ended.append("sleeper")

    async def breaker() -> None:
        raise KeyError("broken")

    with CompletionPortScheduler() as scheduler:
        scheduler.spawn(sleeper(scheduler))
        scheduler.spawn(breaker())
        with pytest.raises(KeyError, match="broken"):
            scheduler.run()
        assert ended == []
    assert ended == ["sleeper"]


def test_an_echo_server_serves_a_hundred_clients() -> None:
    clients = 100
    answers: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0), backlog=clients) as listener:
        address = listener.getsockname()

        def client(number: int, everybody: threading.Barrier) -> None:
            with socket.create_connection(address, timeout=60) as connection:
                everybody.wait(60)  # all are connected at the same time
                message = b"client %d " % number * 500
                connection.sendall(message)
                connection.shutdown(socket.SHUT_WR)
                back = b"".join(iter(lambda: connection.recv(65536), b""))
                answers.append(back if back != message else b"same")

        with CompletionPortScheduler() as scheduler:
            server = EchoServer(scheduler, listener)
            barrier = threading.Barrier(clients)
            threads = [threading.Thread(target=client, args=(n, barrier)) for n in range(clients)]
            ender = threading.Thread(target=lambda: ([thread.join(90) for thread in threads], server.stop()))
            scheduler.spawn(server.accept_all())
            for thread in [*threads, ender]:
                thread.start()
            assert scheduler.run() is None
            ender.join(30)
    assert answers == [b"same"] * clients
    assert (server.clients, server.finished) == (clients, clients)


def test_a_client_that_resets_does_not_end_the_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, CompletionPortScheduler() as scheduler:
        server = EchoServer(scheduler, listener)
        address = listener.getsockname()

        def clients() -> None:
            rude = socket.create_connection(address, timeout=30)
            rude.sendall(b"x")
            rude.recv(1)
            rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00")
            rude.close()
            with socket.create_connection(address, timeout=30) as polite:
                polite.sendall(b"still there?")
                assert polite.recv(64) == b"still there?"
            server.stop()

        scheduler.spawn(server.accept_all())
        thread = threading.Thread(target=clients)
        thread.start()
        assert scheduler.run() is None
        thread.join(30)
    assert server.finished == 2


@pytest.mark.parametrize(("name", "said"), [("no-such-file", "no such file or pipe"), (".", "a directory")])
def test_what_cannot_be_read_is_said_plainly(name: str, said: str) -> None:
    with pytest.raises(CannotRead, match=said):
        HandleSource.open(name)
