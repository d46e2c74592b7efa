"""Three ways to send a whole file over a blocking socket: sendfile(2), mmap(2) and send, splice(2) through a pipe."""

import mmap
import os
import socket
from collections.abc import Callable

_PIECE = 1 << 20
_PIPE_SIZE = 1 << 16


def send_by_sendfile(client: socket.socket, file: int, size: int) -> None:
    """The kernel copies from the page cache to the socket.

    Raises:
        OSError: the client is gone (EPIPE, ECONNRESET), or takes nothing for too long (EAGAIN by SO_SNDTIMEO).
    """
    offset = 0
    while offset < size:
        sent = os.sendfile(client.fileno(), file, offset, min(_PIECE, size - offset))
        if sent == 0:
            break  # the file has become shorter meanwhile
        offset += sent


def send_by_mmap(client: socket.socket, file: int, size: int) -> None:
    """The file appears in memory, and send(2) copies from there.

    Raises:
        OSError: as `send_by_sendfile`.
    """
    if not size:
        return
    with mmap.mmap(file, size, prot=mmap.PROT_READ) as pages, memoryview(pages) as view:
        offset = 0
        while offset < size:
            with view[offset : offset + _PIECE] as piece:
                offset += client.send(piece, socket.MSG_NOSIGNAL)


def send_by_splice(client: socket.socket, file: int, size: int) -> None:
    """Pages move from the file to a pipe, and from the pipe to the socket, without a copy in between.

    Raises:
        OSError: as `send_by_sendfile`.
    """
    reader, writer = os.pipe()
    try:
        offset = 0
        while offset < size:
            moved = os.splice(file, writer, min(_PIPE_SIZE, size - offset), offset_src=offset)
            if moved == 0:
                break
            offset += moved
            while moved:
                moved -= os.splice(reader, client.fileno(), moved)
    finally:
        os.close(reader)
        os.close(writer)


WAYS: dict[str, Callable[[socket.socket, int, int], None]] = {
    "sendfile": send_by_sendfile,
    "mmap": send_by_mmap,
    "splice": send_by_splice,
}
"""By the names that `--send` takes."""
