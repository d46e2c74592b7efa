"""Polls of sockets through the driver: what they report, how long they live, what they are refused for."""

import gc
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from toolkit.ffi import tracing
from toolkit.ffi.windows_errors import WindowsCallError
from toolkit.primitives.afd_poll import POLL_SIZE, AfdDevice, AfdEvents, base_handle, reported
from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.operation import Operation, in_flight
from toolkit.primitives.overlapped_socket import OverlappedSocket


@contextmanager
def polled() -> Iterator[tuple[CompletionPort, AfdDevice, OverlappedSocket, socket.socket]]:
    """A port, a device bound to it with key 7, a datagram socket, and one connected to it."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer,
        CompletionPort() as port,
        AfdDevice.open() as device,
    ):
        plain.bind(("127.0.0.1", 0))
        peer.connect(plain.getsockname())
        port.associate(device, 7)
        yield port, device, OverlappedSocket.borrow(plain), peer


def test_a_poll_reports_what_holds_of_what_was_asked() -> None:
    with polled() as (port, device, ours, peer):
        poll = Operation(POLL_SIZE)
        both = AfdEvents.RECEIVE | AfdEvents.SEND
        for asked in (both, AfdEvents.SEND):
            device.poll(poll, ours, asked)
            packet = port.wait(5000)
            assert packet is not None
            assert (packet.key, packet.error, packet.operation) == (7, 0, poll)
            assert reported(poll) == AfdEvents.SEND
        device.poll(poll, ours, AfdEvents.RECEIVE)
        assert port.wait(0) is None
        peer.send(b"x")
        assert port.wait(5000) is not None
        assert reported(poll) == AfdEvents.RECEIVE
        device.poll(poll, ours, both)
        assert port.wait(5000) is not None
        assert reported(poll) == both


def test_a_poll_whose_time_passed_went_well_and_reports_nothing() -> None:
    with polled() as (port, device, ours, _):
        poll = Operation(POLL_SIZE)
        for timeout_ms in (0, 1):
            device.poll(poll, ours, AfdEvents.RECEIVE, timeout_ms)
            packet = port.wait(5000)
            assert packet is not None
            assert (packet.error, packet.operation, reported(poll)) == (0, poll, AfdEvents(0))
            device.poll(poll, ours, AfdEvents.RECEIVE, timeout_ms)
            [packet] = port.wait_many(4, 5000)  # STATUS_TIMEOUT in its entry is no failure
            assert (packet.error, packet.operation, reported(poll)) == (0, poll, AfdEvents(0))


def test_forgotten_polls_live_until_their_packets_are_taken() -> None:
    with polled() as (port, device, ours, peer):
        before = in_flight()
        for _ in range(50):
            device.poll(Operation(POLL_SIZE), ours, AfdEvents.RECEIVE)
        gc.collect()
        assert in_flight() == before + 50
        peer.send(b"x")
        packets = [port.wait(5000) for _ in range(50)]
        polls = {
            packet.operation for packet in packets if packet is not None and packet.operation is not None
        }
        assert len(polls) == 50
        assert {reported(poll) for poll in polls} == {AfdEvents.RECEIVE}
        assert in_flight() == before


def test_a_cancelled_poll_reports_nothing_also_when_the_one_before_it_did() -> None:
    with polled() as (port, device, ours, _):
        poll = Operation(POLL_SIZE)
        device.poll(poll, ours, AfdEvents.SEND)
        assert port.wait(5000) is not None
        device.poll(poll, ours, AfdEvents.RECEIVE)
        with pytest.raises(RuntimeError, match="in flight"):
            device.poll(poll, ours, AfdEvents.SEND)
        assert device.cancel(poll)
        packet = port.wait(5000)
        assert packet is not None
        assert (packet.error, reported(poll)) == (995, AfdEvents(0))


def test_what_cannot_be_polled_is_refused_and_nothing_stays_in_flight() -> None:
    with polled() as (port, device, _, _):
        before = in_flight()
        gone = OverlappedSocket(socket.socket())
        gone.close()
        with pytest.raises(ValueError, match="this OverlappedSocket is closed"):
            device.poll(Operation(POLL_SIZE), gone, AfdEvents.SEND)
        with CompletionPort() as no_socket, socket.socket() as plain:
            impostor = OverlappedSocket.borrow(plain)
            impostor._number = no_socket.handle
            with pytest.raises(WindowsCallError) as raised:
                device.poll(Operation(POLL_SIZE), impostor, AfdEvents.SEND)
        assert raised.value.winerror in {
            6,
            10038,
        }  # of the poll under Wine, of SIO_BASE_HANDLE before it elsewhere
        assert (in_flight(), port.wait(0)) == (before, None)


def test_the_trace_shows_the_question_also_when_the_answer_is_there_at_once() -> None:
    lines: list[str] = []
    with polled() as (port, device, ours, _):
        base = base_handle(ours)
        with tracing.tracing(lines.append):
            device.poll(Operation(POLL_SIZE), ours, AfdEvents.SEND | AfdEvents.ABORT)
        assert port.wait(5000) is not None
        asked = f"{hex(device.handle)}, IOCTL_AFD_POLL, {{handle={base:#x}, events=0x14, exclusive=0}}, 32"
        assert lines[0] == f"WSAIoctl({ours.handle:#x}, 0x48000022, 0, 8, NULL) = 0"
        assert lines[1].startswith(f"DeviceIoControl({asked}, {{offset=0}}) = ")
