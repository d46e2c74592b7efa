"""What /proc/PID/fdinfo/N and /proc/PID/fd/N say about one descriptor (proc_pid_fdinfo(5))."""

import os
from pathlib import Path
from typing import NamedTuple

# One entry of an interest list, split at white space:
# tfd: 5 events: 19 data: 5 pos:0 ino:61 sdev:e (fs/eventpoll.c, ep_show_fdinfo); pos, ino and sdev since Linux 4.13.
_WORDS_A_LINE = 9
_WORDS_A_LINE_BEFORE_4_13 = 6
_FIRST_READ_BYTES = 1 << 14
_NEXT_READ_BYTES = 1 << 22


class Registration(NamedTuple):
    """One entry of an interest list: a `tfd:` line of an epoll's fdinfo.

    `data` is an unsigned 64-bit word. `ino` and `sdev` identify the target's inode (Linux 4.13 on; 0 before);
    `sdev` is the kernel's own encoding: the major number from bit 20 on, not makedev(3)'s.
    """

    tfd: int
    events: int
    data: int
    pos: int
    ino: int
    sdev: int


def read_fdinfo_bytes(fd: int, pid: int | str = "self") -> bytes:
    """The file as it stands, all of one moment: the kernel makes the whole of it at the first read.

    Making an epoll's holds that epoll's lock, so its epoll_ctl and the harvest of its epoll_wait wait meanwhile.

    Raises:
        OSError: no such process or descriptor, or not permitted.
    """
    number = os.open(f"/proc/{pid}/fdinfo/{fd}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = [os.read(number, _FIRST_READ_BYTES)]
        while parts[-1]:
            parts.append(os.read(number, _NEXT_READ_BYTES))
    finally:
        os.close(number)
    return b"".join(parts)


def parse_fields(content: bytes) -> dict[str, str]:
    """The `key: value` lines that occur once; values stripped. `tfd` lines of an epoll are left out."""
    head = content.partition(b"tfd:")[0].decode(errors="replace")
    fields: dict[str, str] = {}
    for line in head.splitlines():
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()
    return fields


def read_fdinfo(fd: int, pid: int | str = "self") -> dict[str, str]:
    """The `key: value` lines that occur once; values stripped. `tfd` lines of an epoll are left out.

    Raises:
        OSError: no such process or descriptor, or not permitted.
    """
    return parse_fields(read_fdinfo_bytes(fd, pid))


def parse_interest_list(content: bytes) -> list[Registration]:
    """The `tfd:` lines of an epoll's fdinfo, in their order. Takes about half a second for a million words.

    Raises:
        ValueError: the lines are of no shape that Linux is known to write.
    """
    start = content.find(b"tfd:")
    if start < 0:
        return []
    words = content[start:].split()
    step = _WORDS_A_LINE if b"pos:" in content[start : start + 200] else _WORDS_A_LINE_BEFORE_4_13
    lines, rest = divmod(len(words), step)
    if rest or words[::step] != [b"tfd:"] * lines:
        raise ValueError(f"an interest list that cannot be read: {content[start : start + 80]!r}...")
    numbers = map(int, words[1::step])
    events = [int(word, 16) for word in words[3::step]]
    data = [int(word, 16) for word in words[5::step]]
    if step == _WORDS_A_LINE_BEFORE_4_13:
        zeros = [0] * lines
        return list(map(Registration, numbers, events, data, zeros, zeros, zeros))
    positions = [int(word[4:]) for word in words[6::step]]
    inodes = [int(word[4:], 16) for word in words[7::step]]
    devices = [int(word[5:], 16) for word in words[8::step]]
    return list(map(Registration, numbers, events, data, positions, inodes, devices))


def read_interest_list(fd: int, pid: int | str = "self") -> list[Registration]:
    """The interest list of epoll `fd` in process `pid`, in the kernel's order (which is kcmp's `toff` order).

    Raises:
        OSError: no such process or descriptor, or not permitted.
    """
    return parse_interest_list(read_fdinfo_bytes(fd, pid))


def kind_of_link(link: str) -> str:
    """What a /proc/PID/fd link says: `eventfd`, `eventpoll`, `pipe`, `socket`, or the path it names."""
    if link.startswith("anon_inode:"):
        return link.removeprefix("anon_inode:").strip("[]")
    return link.partition(":")[0] if link.startswith(("pipe:", "socket:")) else link


def kind_of(fd: int, pid: int | str = "self") -> str:
    """What a descriptor is: `eventfd`, `eventpoll`, `signalfd`, `pipe`, `socket`, or the path it names.

    Raises:
        OSError: not open (ENOENT), no such process, or not permitted.
    """
    return kind_of_link(str(Path(f"/proc/{pid}/fd/{fd}").readlink()))
