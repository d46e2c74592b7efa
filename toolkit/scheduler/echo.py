"""An echo server as coroutines on a completion port: AcceptEx, one coroutine a client."""

import socket

from toolkit.ffi.windows_errors import WindowsCallError
from toolkit.scheduler.completion_port import CompletionPortScheduler

_SIZE = 65536
_END_ERRORS = (64, 995, 1236, 10053, 10054)  # reset or closed, in the kernel's words and in Winsock's


class EchoServer:
    """Echoes whatever its clients send until they finish sending.

    Attributes:
        clients: how many were accepted.
        bytes: how many were echoed.
        finished: how many clients have been served to their end.
    """

    def __init__(self, scheduler: CompletionPortScheduler, listener: socket.socket) -> None:
        self._scheduler = scheduler
        self._listener = listener
        self._stopping = False
        self._own_port: tuple[str, int] = listener.getsockname()[:2]
        self.clients = self.finished = self.bytes = 0

    def stop(self) -> None:
        """Ends `accept_all`, from any thread, by one more connection; clients there are served to their end."""
        self._stopping = True
        with socket.create_connection(self._own_port, timeout=5):
            return

    async def accept_all(self) -> None:
        """Takes every client, until `stop`.

        Raises:
            WindowsCallError: the listener failed.
        """
        while True:
            connection = await self._scheduler.accept(self._listener)
            if self._stopping:
                connection.close()
                return
            self.clients += 1
            self._scheduler.spawn(self._serve(connection))

    async def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                while data := await self._scheduler.recv(connection, _SIZE):
                    await self._scheduler.send(connection, data)
                    self.bytes += len(data)
            except WindowsCallError as error:
                if error.winerror not in _END_ERRORS:
                    raise
        self.finished += 1
