"""The epoll scheduler, on real pipes, sockets and signals."""

import os
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from toolkit.ffi.errors import CallError
from toolkit.scheduler.epoll_scheduler import EpollScheduler
from toolkit.scheduler.exit_ways import WAYS

SIGNAL = signal.SIGUSR1


def open_descriptors() -> list[str]:
    return [path.name for path in sorted(Path("/proc/self/fd").iterdir())]


def collect(into: list[bytes], read: Callable[[], Awaitable[bytes]]) -> Awaitable[None]:
    async def reading() -> None:
        while chunk := await read():
            into.append(chunk)

    return reading()


def nonblocking_pipe() -> tuple[int, int]:
    return os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)


def test_data_already_there_costs_no_wait() -> None:
    reader, writer = nonblocking_pipe()
    os.write(writer, b"early")
    seen: list[bytes] = []
    order: list[str] = []

    async def reading() -> None:
        seen.append(await scheduler.read(reader, 64))
        order.append("read")

    async def afterwards() -> None:
        order.append("other")

    with EpollScheduler() as scheduler:
        scheduler.spawn(reading())
        scheduler.spawn(afterwards())
        assert scheduler.run() is None
    assert seen == [b"early"]
    assert order == ["read", "other"]  # had the read suspended, the other would have come first


def test_a_read_suspends_until_data_comes() -> None:
    reader, writer = nonblocking_pipe()
    order: list[object] = []

    async def reading() -> None:
        order.append(await scheduler.read(reader, 64))

    async def writing() -> None:
        order.append("write")
        os.write(writer, b"late")

    with EpollScheduler() as scheduler:
        scheduler.spawn(reading())
        scheduler.spawn(writing())
        scheduler.run()
    assert order == ["write", b"late"]


def test_a_source_that_never_runs_dry_does_not_starve_the_others() -> None:
    zero = os.open("/dev/zero", os.O_RDONLY | os.O_NONBLOCK)
    done = False

    async def endless() -> None:
        while not done:
            await scheduler.read(zero, 1)

    async def other() -> None:
        nonlocal done
        done = True

    with EpollScheduler() as scheduler:
        scheduler.spawn(endless())
        scheduler.spawn(other())
        assert scheduler.run() is None
    os.close(zero)


@pytest.mark.parametrize("way", WAYS)
def test_an_endless_source_does_not_starve_the_exit_signal(way: str) -> None:
    zero = os.open("/dev/zero", os.O_RDONLY | os.O_NONBLOCK)
    turns = 0

    async def endless() -> None:
        nonlocal turns
        while True:
            await scheduler.read(zero, 1)
            turns += 1
            if turns == 1000:
                os.kill(os.getpid(), SIGNAL)

    with EpollScheduler([SIGNAL], WAYS[way]) as scheduler:
        scheduler.spawn(endless())
        assert scheduler.run() == SIGNAL
    os.close(zero)


@pytest.mark.parametrize("way", WAYS)
def test_a_signal_ends_the_run_and_everything_is_given_back(way: str) -> None:
    handler, mask = signal.getsignal(SIGNAL), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    before = open_descriptors()
    reader, writer = nonblocking_pipe()
    log: list[str] = []
    closed: list[str] = []

    async def reading() -> None:
        try:
            await scheduler.read(reader, 64)
        finally:
            closed.append("finally")

    async def shooting() -> None:
        os.kill(os.getpid(), SIGNAL)

    with EpollScheduler([SIGNAL], WAYS[way], log.append) as scheduler:
        scheduler.spawn(reading())
        scheduler.spawn(shooting())
        assert scheduler.run() == SIGNAL
        assert not closed
    assert closed == ["finally"]
    os.close(reader)
    os.close(writer)
    assert open_descriptors() == before
    assert signal.getsignal(SIGNAL) is handler
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
    assert log[0].startswith(f"register signal {int(SIGNAL)} as ")
    assert log[-1] == f"signal {int(SIGNAL)} detected, exit..."


def test_the_signal_goes_before_ordinary_events_of_the_same_wait() -> None:
    reader, writer = nonblocking_pipe()
    seen: list[bytes] = []
    with EpollScheduler([SIGNAL]) as scheduler:
        scheduler.spawn(collect(seen, lambda: scheduler.read(reader, 64)))  # type: ignore[arg-type]

        async def both_at_once() -> None:
            os.write(writer, b"ordinary")
            os.kill(os.getpid(), SIGNAL)

        scheduler.spawn(both_at_once())
        assert scheduler.run() == SIGNAL
    assert seen == []


def test_a_thousand_schedulers_leak_nothing() -> None:
    reader, _writer = nonblocking_pipe()
    finished = 0

    async def reading() -> None:
        nonlocal finished
        try:
            await scheduler.read(reader, 64)
        finally:
            finished += 1

    before, mask = open_descriptors(), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    for _ in range(1000):
        with EpollScheduler([SIGNAL, signal.SIGUSR2]) as scheduler:
            scheduler.spawn(reading())
            scheduler.spawn(scheduler.sleep(0))
            while scheduler._alive > 1:
                scheduler._turn()
                scheduler._fire_timers()
    assert finished == 1000
    assert open_descriptors() == before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
    assert signal.sigpending() == set()


def test_close_goes_through_every_coroutine_even_when_one_fails() -> None:
    reader, _writer = nonblocking_pipe()
    other, _other_writer = nonblocking_pipe()
    closed: list[str] = []

    async def failing() -> None:
        try:
            await scheduler.read(reader, 1)
        finally:
            raise LookupError("in finally")

    async def fine() -> None:
        try:
            await scheduler.read(other, 1)
        finally:
            closed.append("fine")

    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    scheduler = EpollScheduler([SIGNAL])
    scheduler.spawn(failing())
    scheduler.spawn(fine())
    scheduler._turn()
    with pytest.raises(LookupError):
        scheduler.close()
    assert closed == ["fine"]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    scheduler.close()


def test_a_failed_constructor_names_the_call_and_leaves_nothing() -> None:
    import resource

    before, mask = open_descriptors(), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (lowest + 1, hard)
    )  # room for the epoll, none for the signalfd
    try:
        with pytest.raises(CallError, match=r"signalfd\(-1, 0x200, .*\): EMFILE"):
            EpollScheduler([SIGNAL])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert open_descriptors() == before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask


def test_one_reader_and_one_writer_share_a_descriptor_and_a_second_reader_is_refused() -> None:
    here, there = socket.socketpair()
    for end in (here, there):
        end.setblocking(False)
    log: list[str] = []

    async def reading(name: str) -> None:
        try:
            log.append(f"{name} got {await scheduler.recv(here, 64)!r}")
        except RuntimeError as error:
            log.append(f"{name}: {error}")

    async def writing() -> None:
        await scheduler.send(here, bytes(10_000_000))
        log.append("sent all")

    async def peer() -> None:
        left = 10_000_000
        while left:
            left -= len(await scheduler.recv(there, 1 << 16))
        await scheduler.send(there, b"thanks")

    with EpollScheduler() as scheduler:
        for coroutine in (reading("first"), reading("second"), writing(), peer()):
            scheduler.spawn(coroutine)
        assert scheduler.run() is None
    refusal = f"second: another coroutine already waits for event 0x1 of descriptor {here.fileno()}"
    assert sorted(log) == sorted(["first got b'thanks'", refusal, "sent all"])


def test_a_number_that_names_another_file_now_is_registered_anew() -> None:
    seen: list[bytes] = []

    async def twice() -> None:
        for text in (b"one", b"two"):
            reader, writer = nonblocking_pipe()
            scheduler.spawn(later(writer, text))
            seen.append(await scheduler.read(reader, 64))
            numbers.add(reader)
            os.close(reader)

    async def later(writer: int, text: bytes) -> None:
        os.write(writer, text)
        os.close(writer)

    numbers: set[int] = set()
    with EpollScheduler() as scheduler:
        scheduler.spawn(twice())
        scheduler.run()
    assert seen == [b"one", b"two"]
    assert len(numbers) == 1


def test_sleepers_wake_in_the_order_of_their_deadlines_and_never_early() -> None:
    woken: list[float] = []

    async def sleeper(seconds: float) -> None:
        start = time.monotonic()
        await scheduler.sleep(seconds)
        # the sum, as the deadline was made: a difference of two readings may round below what was asked for
        assert time.monotonic() >= start + seconds
        woken.append(seconds)

    with EpollScheduler() as scheduler:
        for seconds in (0.03, 0.01, 0.0, 0.02):
            scheduler.spawn(sleeper(seconds))
        scheduler.run()
    assert woken == [0.0, 0.01, 0.02, 0.03]


def test_a_coroutine_that_fails_ends_the_run() -> None:
    async def failing() -> None:
        raise LookupError("mine")

    with EpollScheduler() as scheduler:
        scheduler.spawn(failing())
        with pytest.raises(LookupError, match="mine"):
            scheduler.run()


def test_a_bad_descriptor_is_raised_in_the_coroutine_that_awaited_it() -> None:
    reader, writer = nonblocking_pipe()
    errors: list[str] = []

    async def waiting() -> None:
        try:
            await scheduler.readable(reader)
        except CallError as error:
            errors.append(str(error))

    with EpollScheduler() as scheduler:
        os.close(reader)
        os.close(writer)
        scheduler.spawn(waiting())
        scheduler.run()
    assert len(errors) == 1
    assert "epoll_ctl(" in errors[0]
    assert "EBADF" in errors[0]


def test_regular_files_which_epoll_refuses_are_read_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "regular"
    path.write_bytes(b"x" * 100_000)
    seen: list[bytes] = []
    with open(path, "rb", buffering=0) as file, EpollScheduler() as scheduler:

        async def reading() -> None:
            await scheduler.readable(file.fileno())
            while chunk := await scheduler.read(file.fileno(), 4096):
                seen.append(chunk)

        scheduler.spawn(reading())
        scheduler.run()
    assert b"".join(seen) == path.read_bytes()


def test_accept_recv_send_serve_a_hundred_clients() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    listener.setblocking(False)
    answers: list[bytes] = []

    async def echo(connection: socket.socket) -> None:
        with connection:
            while data := await scheduler.recv(connection, 4096):
                await scheduler.send(connection, data)

    async def serving() -> None:
        with listener:
            for _ in range(100):
                scheduler.spawn(echo(await scheduler.accept(listener)))

    def clients(address: tuple[str, int]) -> None:
        everyone = [socket.create_connection(address, timeout=10) for _ in range(100)]
        for number, client in enumerate(everyone):
            client.sendall(b"%d" % number)
        for client in everyone:
            answers.append(client.recv(64))
            client.close()

    with EpollScheduler() as scheduler:
        thread = threading.Thread(target=clients, args=(listener.getsockname(),))
        thread.start()
        scheduler.spawn(serving())
        assert scheduler.run() is None
        thread.join(10)
    assert answers == [b"%d" % number for number in range(100)]


def test_self_pipe_in_another_thread_says_that_it_needs_the_main_one() -> None:
    errors: list[str] = []

    def attempt() -> None:
        try:
            EpollScheduler([SIGNAL], WAYS["self-pipe"])
        except ValueError as error:
            errors.append(str(error))

    before = open_descriptors()
    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join(10)
    assert len(errors) == 1
    assert "main thread" in errors[0]
    assert open_descriptors() == before
