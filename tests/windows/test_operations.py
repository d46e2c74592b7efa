"""Owning objects: a packet is no timeout, memory outlives whoever forgot it, errors say what was called."""

import gc
import socket
import subprocess
import sys
import threading

import pytest

from toolkit.ffi import tracing, windows
from toolkit.ffi.errors import CallError, PlatformLacksError
from toolkit.ffi.windows_errors import WindowsCallError
from toolkit.primitives.afd_poll import POLL_SIZE, AfdDevice, AfdEvents, reported
from toolkit.primitives.iocp import Alerted, CompletionPort
from toolkit.primitives.named_pipe import pipe_pair
from toolkit.primitives.operation import Operation, Outcome, in_flight
from toolkit.primitives.overlapped_file import NotificationModes, OverlappedFile
from toolkit.primitives.overlapped_socket import OverlappedSocket
from toolkit.primitives.waits import Event, wait_for


def test_a_timeout_is_none_and_a_failed_operation_is_a_packet() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server, client:
        port.associate(server, 5)
        assert port.wait(0) is None
        assert port.wait_many(4, 0) == []
        operation = Operation(8)
        server.read(operation)
        assert server.cancel(operation)
        packet = port.wait(5000)
        assert packet is not None
        assert (packet.error, packet.key, packet.operation) == (995, 5, operation)
        server.read(operation)
        server.cancel(operation)
        [packet] = port.wait_many(4, 5000)
        assert (packet.error, packet.operation) == (995, operation)  # translated from the entry's NTSTATUS


def test_the_count_of_a_failed_batch_wait_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def lying(*arguments: object) -> int:
        """A system that leaves a count behind after FALSE, as Wine 8.0 does."""
        done: int = windows.compiled.GetQueuedCompletionStatusEx(*arguments)
        arguments[3][0] = 3  # type: ignore[index]  # cffi memory
        return done

    with CompletionPort() as port:
        monkeypatch.setattr(windows, "GetQueuedCompletionStatusEx", lying)
        assert port.wait_many(4, 0) == []


def test_a_dead_port_raises_and_never_looks_like_a_timeout() -> None:
    port = CompletionPort()
    windows.lib.CloseHandle(windows.ffi.cast("HANDLE", port.handle))
    with pytest.raises(WindowsCallError) as raised:
        port.wait(0)
    assert raised.value.winerror == 6
    assert raised.value.call == "GetQueuedCompletionStatus"
    assert raised.value.arguments == (hex(port.handle), 0)
    with pytest.raises(OSError, match=r"ERROR_INVALID_HANDLE \(6\)"):
        port.close()
    with pytest.raises(ValueError, match="closed"):
        port.wait(0)


def test_an_alertable_wait_that_ran_a_call_says_so() -> None:
    ran: list[int] = []
    call = windows.ffi.callback("void(ULONG_PTR)", ran.append)
    with CompletionPort() as port:
        windows.lib.QueueUserAPC(call, windows.lib.GetCurrentThread(), 9)
        with pytest.raises(Alerted):
            port.wait_many(4, 5000, alertable=True)
    assert ran == [9]


def test_a_forgotten_operation_lives_until_its_packet_is_taken() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server, client:
        port.associate(server, 1)
        before = in_flight()
        for _ in range(50):
            server.read(Operation(1))
        gc.collect()
        assert in_flight() == before + 50
        writer = Operation(data=b"y" * 50)
        client.write(writer)
        client.result(writer, 5000)
        writer.arrive()
        packets = [port.wait(5000) for _ in range(50)]
        assert all(packet and packet.operation and packet.operation.data(1) == b"y" for packet in packets)
        assert in_flight() == before


def test_a_process_that_ends_with_operations_in_flight_ends_well() -> None:
    code = """
from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.named_pipe import pipe_pair
from toolkit.primitives.operation import Operation
port, (server, client) = CompletionPort(), pipe_pair()
port.associate(server, 1)
for _ in range(200):
    server.read(Operation(64))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_operation_in_flight_refuses_a_second_call_and_a_new_offset() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server, client:
        port.associate(server, 1)
        operation = Operation(8)
        server.read(operation)
        with pytest.raises(RuntimeError, match="in flight"):
            server.read(operation)
        with pytest.raises(RuntimeError, match="in flight"):
            operation.offset = 7
        server.cancel(operation)
        assert port.wait(5000) is not None
        operation.offset = 2**40 + 7
        assert operation.offset == 2**40 + 7


def test_a_call_that_fails_leaves_nothing_in_flight() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server:
        port.associate(server, 1)
        client.close()
        before = in_flight()
        with pytest.raises(BrokenPipeError) as raised:
            server.read(Operation(8))
        assert isinstance(raised.value, CallError)
        assert (raised.value.call, raised.value.winerror) == ("ReadFile", 109)
        assert in_flight() == before


def test_outcomes_say_whether_a_packet_comes() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server, client:
        port.associate(server, 1)
        operation = Operation(4)

        def fill() -> None:
            writer = Operation(data=b"data")
            client.write(writer)
            client.result(writer, 5000)
            writer.arrive()

        fill()
        assert server.read(operation) is Outcome.DONE_PACKET_FOLLOWS
        assert port.wait(5000) is not None
        assert server.read(operation) is Outcome.PENDING
        fill()
        assert port.wait(5000) is not None
        server.set_notification_modes(NotificationModes.SKIP_COMPLETION_PORT_ON_SUCCESS)
        fill()
        assert server.read(operation) is Outcome.DONE_NO_PACKET
        assert (operation.data(), port.wait(0)) == (b"data", None)
        with Event() as event:
            quiet = Operation(4)
            quiet.set_event(event, no_packet=True)
            assert server.read(quiet) is Outcome.PENDING
            fill()
            assert wait_for(event, 5000)
            assert port.wait(50) is None
            quiet.arrive()


def test_words_that_do_not_fit_are_refused() -> None:
    with CompletionPort() as port:
        for words in ((2**32, 0, 0), (-1, 0, 0), (0, 2**64, 0)):
            with pytest.raises(OverflowError):
                port.post(*words)
        with pytest.raises(ValueError, match="at least 1"):
            port.wait_many(0, 0)


def test_closing_twice_is_harmless_and_a_duplicate_lives_on() -> None:
    port = CompletionPort()
    twin = port.duplicate()
    port.close()
    port.close()
    assert port.closed
    twin.post(1, 2, 3)
    packet = twin.wait(5000)
    assert packet is not None
    assert packet[:4] == (1, 2, 3, 0)
    twin.close()


def test_a_missing_file_is_a_file_not_found_error() -> None:
    with pytest.raises(FileNotFoundError) as raised:
        OverlappedFile.open(r"C:\no\such\file")
    assert isinstance(raised.value, WindowsCallError)
    assert raised.value.call == "CreateFileW"


def test_the_trace_shows_calls_with_their_errors() -> None:
    lines: list[str] = []
    with CompletionPort() as port, tracing.tracing(lines.append):
        port.post(1, 0x20, 0x30)
        port.wait(0)
        port.wait(0)
        handle = hex(port.handle)
    assert lines == [
        f"PostQueuedCompletionStatus({handle}, 1, 0x20, 0x30) = TRUE",
        f"GetQueuedCompletionStatus({handle}, {{bytes=1, key=0x20, overlapped=0x30}}, 0) = TRUE",
        f"GetQueuedCompletionStatus({handle}, {{overlapped=NULL}}, 0) = FALSE WAIT_TIMEOUT (258)",
    ]


def test_waiting_releases_the_interpreter() -> None:
    with CompletionPort() as port:
        taken: list[int] = []

        def wait() -> None:
            packet = port.wait()
            taken.append(packet.key if packet else -1)

        threads = [threading.Thread(target=wait, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        for key in range(8):  # this thread runs although eight others are in a wait without end
            port.post(key=key)
        for thread in threads:
            thread.join(30)
        assert sorted(taken) == list(range(8))


def test_a_poll_tells_what_is_ready_and_nothing_after_a_cancel() -> None:
    before = in_flight()
    plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    plain.bind(("127.0.0.1", 0))
    with CompletionPort() as port, AfdDevice.open() as afd, OverlappedSocket(plain) as sock:
        port.associate(afd, 1)
        poll = Operation(POLL_SIZE)
        assert afd.poll(poll, sock, AfdEvents.RECEIVE) is Outcome.PENDING
        with pytest.raises(RuntimeError, match="in flight"):
            afd.poll(poll, sock, AfdEvents.SEND)
        assert afd.cancel(poll)
        packet = port.wait(5000)
        assert packet is not None
        assert (packet.error, packet.operation, reported(poll)) == (995, poll, AfdEvents(0))
        afd.poll(poll, sock, AfdEvents.RECEIVE | AfdEvents.SEND)  # usable again, and ready at once
        packet = port.wait(5000)
        assert packet is not None
        assert (packet.error, packet.operation, reported(poll)) == (0, poll, AfdEvents.SEND)
        with pytest.raises(ValueError, match=f"a buffer of 8 bytes: a poll needs {POLL_SIZE}"):
            afd.poll(Operation(8), sock, AfdEvents.RECEIVE)
    assert in_flight() == before
    with pytest.raises(ValueError, match="this AfdDevice is closed"):
        afd.poll(poll, sock, AfdEvents.RECEIVE)


def test_what_this_windows_lacks_is_an_attribute_error() -> None:
    without_ntdll = type(windows.compiled)("kernel32.dll", "ws2_32.dll")
    with pytest.raises(AttributeError, match="this Windows has no function RtlNtStatusToDosError"):
        _ = without_ntdll.RtlNtStatusToDosError
    with pytest.raises(AttributeError, match="NoSuchFunction"):
        _ = windows.lib.NoSuchFunction  # not declared either


def test_linux_primitives_say_that_they_are_not_here() -> None:
    with pytest.raises(PlatformLacksError, match="Linux primitives"):
        import toolkit.primitives.epoll  # noqa: F401  the import is what is tested
