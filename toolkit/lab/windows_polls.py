"""Readiness polls of a Windows case: the driver, its polls, and a socket that has no room."""

from contextlib import suppress

from toolkit.lab.base import LabBase
from toolkit.lab.checks import DeadlineError
from toolkit.primitives.afd_poll import POLL_SIZE, AfdDevice, AfdEvents, reported
from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_socket import OverlappedSocket

_SETTLED_MS = 150  # how long no room must appear: what was sent may still be moving on to the peer


class WindowsPolls(LabBase):
    """The part of the lab that polls sockets."""

    def afd(self) -> AfdDevice:
        """The ancillary function driver, opened for polls."""
        device = AfdDevice.open()
        self.keep(device)
        return device

    def poll(self, afd: AfdDevice, sock: OverlappedSocket, *events: str) -> Operation:
        """A poll of `sock` for the AfdEvents of these names, started."""
        operation = Operation(POLL_SIZE)
        asked = AfdEvents(0)
        for name in events:
            asked |= AfdEvents[name]
        afd.poll(operation, sock, asked)
        return operation

    def reported(self, poll: Operation) -> list[str]:
        """The names of what a poll that has ended reports."""
        found = reported(poll)
        return [each.name for each in AfdEvents if each in found and each.name]

    def fill_window(self, sock: OverlappedSocket) -> int:
        """Sends until nothing more fits, nor will for a while; how many bytes are on their way now.

        The first refusal is not the end: as long as bytes move on to the peer, room appears behind them.
        """
        sent = 0
        sock.plain.setblocking(False)
        with CompletionPort() as port, AfdDevice.open() as afd:
            port.associate(afd, 1)
            poll, room = Operation(POLL_SIZE), AfdEvents.SEND
            while room:
                with suppress(BlockingIOError):
                    while True:
                        sent += sock.plain.send(bytes(65536))
                afd.poll(poll, sock, AfdEvents.SEND, _SETTLED_MS)
                if port.wait(self.milliseconds(5)) is None:
                    raise DeadlineError("a poll with a time limit did not end in time")
                room = reported(poll)
        sock.plain.setblocking(True)
        return sent
