"""What a coroutine scheduler offers, whatever it waits with: epoll on Linux, a completion port on Windows."""

import socket
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

Source = TypeVar("Source", contravariant=True)
"""What `read` reads from: a descriptor on Linux, a handle opened for overlapped input on Windows."""


class Scheduler(Protocol[Source]):
    """Resumes each coroutine when what it awaits is there. One thread makes it, runs it and closes it."""

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Takes a coroutine over; it starts at the next turn of the loop. May be called from a coroutine."""

    def run(self) -> int | None:
        """Runs until every coroutine has finished (None), or an exit signal came (its number).

        An exception that leaves a coroutine ends the run and is raised here; the other coroutines stay suspended.
        """

    def close(self) -> None:
        """Closes every suspended coroutine (its `finally` blocks run), the scheduler's own descriptors, and gives
        the signals back. Again is harmless."""

    async def read(self, source: Source, size: int) -> bytes:
        """Up to `size` bytes, as soon as there are any; `b""` at the end of file."""

    async def accept(self, listener: socket.socket) -> socket.socket:
        """The next connection of a listening socket; the caller owns it."""

    async def recv(self, connection: socket.socket, size: int) -> bytes:
        """Up to `size` bytes, as soon as there are any; `b""` when the peer has finished sending."""

    async def send(self, connection: socket.socket, data: bytes) -> None:
        """Sends all of `data`."""

    async def sleep(self, seconds: float) -> None:
        """Resumes after `seconds`, never earlier."""
