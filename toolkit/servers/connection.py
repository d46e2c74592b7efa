"""One client's connection, as its owner sees it."""

import socket
import struct

from toolkit.servers.requests import RequestReader


class Connection:
    """Owned by one worker at a time, who alone reads, writes and closes it.

    `token` is its identity: never used twice, unlike the descriptor's number, and the data word of its registration.
    `wanted` are the events it is registered for; `deadline` when it is due to be ended (monotonic, ns).
    """

    __slots__ = ("at_rest", "closed", "deadline", "ending", "fd", "linger_counts", "owed", "owner", "peer", "reader",
                 "token", "unsent", "wanted")  # fmt: skip

    def __init__(self, fd: int, token: int, peer: bytes, deadline: int) -> None:
        self.fd = fd
        self.token = token
        self.peer = peer
        self.deadline = deadline
        self.owner = 0
        self.wanted = 0
        self.closed = False
        self.ending = False
        """Our half is shut down; what still comes is read to the end and dropped."""
        self.linger_counts = False
        """What comes after our end was a request that crossed it, not the rest of one we have refused."""
        self.reader: RequestReader | None = None
        self.at_rest = True
        """Between two requests, nothing in hand either way: what comes now is the first byte of one."""
        self.owed = 0
        """Answers made but not entirely sent."""
        self.unsent: memoryview | None = None

    @property
    def unfinished(self) -> int:
        """Requests that have begun and have no complete answer."""
        reader = self.reader
        return self.owed + (len(reader.complete) + reader.in_hand if reader is not None else 0)

    def note_rest(self) -> None:
        """Finds out whether it is `at_rest`, after anything but a known answer that was sent whole."""
        reader = self.reader
        nothing_read = reader is None or not (reader.in_hand or reader.complete or reader.complaint)
        self.at_rest = nothing_read and self.unsent is None and not self.ending and not self.closed


def address_text(raw: bytes) -> bytes:
    """`127.0.0.1:40000` or `[::1]:40000` out of a struct sockaddr (ip(7), ipv6(7))."""
    if len(raw) < 8:
        return b"unknown"
    [family] = struct.unpack_from("=H", raw)
    [port] = struct.unpack_from("!H", raw, 2)
    if family == socket.AF_INET6:
        return b"[%b]:%d" % (socket.inet_ntop(socket.AF_INET6, raw[8:24]).encode(), port)
    return b"%b:%d" % (socket.inet_ntop(socket.AF_INET, raw[4:8]).encode(), port)
