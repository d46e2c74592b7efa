"""Probes of completion ports and what reports to them. Each makes the real call, on Windows or Wine."""

import platform
import socket

from toolkit.features.trying import MissingError, Probe
from toolkit.ffi import windows
from toolkit.ffi.wine import wine_version
from toolkit.primitives.afd_poll import POLL_SIZE, AfdDevice, AfdEvents, reported
from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.job import Job
from toolkit.primitives.named_pipe import pipe_pair
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import NotificationModes
from toolkit.primitives.overlapped_socket import OverlappedSocket
from toolkit.primitives.waits import WaitableTimer


def _port() -> None:
    with CompletionPort() as port:
        port.post(1, 2, 3)
        packet = port.wait(1000)
        if packet is None or packet[:3] != (1, 2, 3):
            raise MissingError(f"a post came back as {packet}")


def _batch() -> None:
    with CompletionPort() as port:
        for key in range(3):
            port.post(key=key)
        taken = port.wait_many(8, 1000)
        if [packet.key for packet in taken] != [0, 1, 2]:
            raise MissingError(f"3 posts came back as {taken}")


def _skip() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server, client:
        port.associate(server, 1)
        server.set_notification_modes(NotificationModes.SKIP_COMPLETION_PORT_ON_SUCCESS)
        server.write(Operation(data=b"x"))
        if port.wait(50) is not None:
            raise MissingError("a packet came although it was to be skipped")


def _cancel() -> None:
    server, client = pipe_pair()
    with CompletionPort() as port, server, client:
        port.associate(server, 1)
        operation = Operation(1)
        server.read(operation)
        server.cancel(operation)
        packet = port.wait(1000)
        if packet is None or packet.error != windows.lib.ERROR_OPERATION_ABORTED:
            raise MissingError(f"a cancelled read ended as {packet}")


def _extensions() -> str:
    with socket.socket() as plain:
        borrowed = OverlappedSocket.borrow(plain)
        borrowed.load_extensions()
    return "AcceptEx, ConnectEx, DisconnectEx"


def _afd_poll() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain,
        CompletionPort() as port,
        AfdDevice.open() as device,
    ):
        plain.bind(("127.0.0.1", 0))
        port.associate(device, 1)
        poll = Operation(POLL_SIZE)
        device.poll(poll, OverlappedSocket.borrow(plain), AfdEvents.SEND)
        packet = port.wait(1000)
        if packet is None or packet.error or reported(poll) != AfdEvents.SEND:
            raise MissingError(f"a poll of a socket that can be written to ended as {packet}")


def _timer() -> None:
    with WaitableTimer() as timer:
        timer.set(60)
        timer.cancel()


def _job() -> None:
    with CompletionPort() as port, Job() as job:
        job.report_to(port, 1)


def _wait_packet() -> None:
    raise_if_lacking("NtAssociateWaitCompletionPacket", "ntdll.dll")


def _io_ring() -> None:
    raise_if_lacking("CreateIoRing", "kernelbase.dll")


def raise_if_lacking(function: str, library: str) -> None:
    """Raises MissingError when `library` does not export `function`."""
    import ctypes  # the name is not declared in cdefs/: it is only looked for

    try:
        getattr(ctypes.WinDLL(library), function)  # type: ignore[attr-defined]  # only Windows has it
    except (AttributeError, OSError):
        raise MissingError(f"{library} exports no {function}") from None


def _version() -> str:
    wine = wine_version()
    return f"Wine {wine}" if wine else platform.version()


PROBES = {
    "windows": Probe("platform", "Windows itself, or Wine", _version),
    "iocp": Probe("iocp", "CreateIoCompletionPort, post and wait", _port),
    "iocp_batch": Probe("iocp", "GetQueuedCompletionStatusEx: several packets a call", _batch),
    "iocp_skip": Probe("iocp", "FILE_SKIP_COMPLETION_PORT_ON_SUCCESS", _skip),
    "cancel_io_ex": Probe("iocp", "CancelIoEx: one operation, from any thread", _cancel),
    "socket_extensions": Probe("iocp", "WSAIoctl: functions that end on a port", _extensions),
    "afd_poll": Probe("iocp", "IOCTL_AFD_POLL: readiness of sockets as packets", _afd_poll),
    "waitable_timer": Probe("iocp", "CreateWaitableTimer and RegisterWaitForSingleObject", _timer),
    "job_port": Probe("iocp", "a job object's messages at a port", _job),
    "wait_completion_packet": Probe(
        "iocp", "NtAssociateWaitCompletionPacket: waits as packets", _wait_packet
    ),
    "io_ring": Probe("iocp", "CreateIoRing: Windows 11's submission rings", _io_ring),
}
