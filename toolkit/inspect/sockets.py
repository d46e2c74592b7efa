"""Sockets by inode number: protocol, addresses and state, from /proc/PID/net of each namespace (proc_pid_net(5))."""

import os
import socket
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from toolkit.inspect.processes import net_namespace

# include/net/tcp_states.h
_TCP_STATES = ("", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT",
               "LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV")  # fmt: skip
# include/uapi/linux/net.h, SS_*
_UNIX_STATES = ("FREE", "UNCONNECTED", "CONNECTING", "CONNECTED", "DISCONNECTING")
_UNIX_TYPES = {1: "unix-stream", 2: "unix-dgram", 5: "unix-seqpacket"}
_ACCEPTING = 0x10000  # __SO_ACCEPTCON
_NATIVE_WORD_BYTES = 4


class Socket(NamedTuple):
    """What /proc/PID/net tells of one socket."""

    protocol: str
    local: str | None
    peer: str | None
    state: str | None


def _address(text: str) -> str:
    """`0100007F:1F90` as `127.0.0.1:8080`: 32-bit words in the machine's order, the port in hex."""
    host, _, port = text.rpartition(":")
    words = (host[at : at + 8] for at in range(0, len(host), 8))
    packed = b"".join(int(word, 16).to_bytes(_NATIVE_WORD_BYTES, sys.byteorder) for word in words)
    if len(packed) == _NATIVE_WORD_BYTES:
        return f"{socket.inet_ntop(socket.AF_INET, packed)}:{int(port, 16)}"
    return f"[{socket.inet_ntop(socket.AF_INET6, packed)}]:{int(port, 16)}"


def _internet(protocol: str, words: list[str]) -> Socket:
    state = _TCP_STATES[int(words[3], 16)] if int(words[3], 16) < len(_TCP_STATES) else words[3]
    peer = _address(words[2])
    nobody = peer.endswith(":0")
    if not protocol.startswith(
        "tcp"
    ):  # a datagram socket is either connected or not: it borrows TCP's numbers
        state = "UNCONNECTED" if state == "CLOSE" else state
    return Socket(protocol, _address(words[1]), None if nobody else peer, state)


def _unix(_: str, words: list[str]) -> Socket:
    number = int(words[5], 16)
    state = _UNIX_STATES[number] if number < len(_UNIX_STATES) else words[5]
    if int(words[3], 16) & _ACCEPTING:
        state = "LISTEN"
    path = " ".join(words[7:]) or None
    return Socket(_UNIX_TYPES.get(int(words[4], 16), "unix"), path, None, state)


def _netlink(_: str, words: list[str]) -> Socket:
    return Socket("netlink", f"family {words[1]} port {words[2]}", None, None)


def _packet(_: str, words: list[str]) -> Socket:
    return Socket("packet", f"protocol 0x{words[3]} interface {words[4]}", None, None)


# File, column of the inode, and how a row is read. The likeliest first: reading stops when all are found.
_FILES: tuple[tuple[str, int, Callable[[str, list[str]], Socket]], ...] = (
    ("tcp", 9, _internet),
    ("tcp6", 9, _internet),
    ("unix", 6, _unix),
    ("udp", 9, _internet),
    ("udp6", 9, _internet),
    ("netlink", 9, _netlink),
    ("packet", 8, _packet),
    ("raw", 9, _internet),
    ("raw6", 9, _internet),
    ("icmp", 9, _internet),
    ("icmp6", 9, _internet),
    ("udplite", 9, _internet),
    ("udplite6", 9, _internet),
)


def read_sockets(pid: int, wanted: Collection[int]) -> dict[int, Socket]:
    """Those of the `wanted` inodes that the network namespace of `pid` knows.

    A TCP socket is in none of the files until it is bound or connected.
    """
    missing = {str(ino) for ino in wanted}
    found: dict[int, Socket] = {}
    for name, column, read_row in _FILES:
        if not missing:
            break
        try:
            lines = Path(f"/proc/{pid}/net/{name}").read_text(errors="replace").splitlines()
        except OSError:  # no such protocol in this kernel, not permitted, or the process ended
            continue
        for line in lines[1:]:
            words = line.split()
            if len(words) > column and words[column] in missing:
                missing.discard(words[column])
                found[int(words[column])] = read_row(name, words)
    return found


def protocol_name(pid: int, fd: int) -> str | None:
    """The protocol's name alone, `tcp`, for a socket in no table (sockfs's xattr `system.sockprotoname`)."""
    try:
        return os.getxattr(f"/proc/{pid}/fd/{fd}", "system.sockprotoname").rstrip(b"\0").decode().lower()
    except OSError:
        return None


class SocketTables:
    """Sockets of the network namespaces of several processes; each namespace is read once for all that is wanted."""

    def __init__(self) -> None:
        self._found: dict[int, Socket | None] = {}
        self._wanted: dict[int, set[int]] = {}

    def want(self, pid: int, inodes: Collection[int]) -> None:
        """Says which inodes will be asked for, and through which process they were seen."""
        self._wanted.setdefault(pid, set()).update(inodes)

    def find(self, ino: int) -> Socket | None:
        """The socket. Inode numbers of sockets are unique system-wide; a socket stays in its maker's namespace."""
        if self._wanted:
            self._read_wanted()
        return self._found.get(ino)

    def _read_wanted(self) -> None:
        by_namespace = {net_namespace(pid): pid for pid in self._wanted}
        everything = set().union(*self._wanted.values()) - self._found.keys()
        self._wanted.clear()
        self._found.update(dict.fromkeys(everything))
        for namespace, pid in by_namespace.items():
            if namespace is not None and everything:
                self._found.update(read_sockets(pid, everything))
