"""What /proc/PID/fdinfo/N and /proc/PID/fd/N say about one descriptor (proc_pid_fdinfo(5))."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Registration:
    """One entry of an interest list: a `tfd:` line of an epoll's fdinfo.

    `data` is an unsigned 64-bit word; `ino` and `sdev` identify the target's inode (Linux 4.13 on; 0 before).
    """

    tfd: int
    events: int
    data: int
    pos: int
    ino: int
    sdev: int


def read_fdinfo_text(fd: int, pid: int | str = "self") -> str:
    """The file as it stands.

    Raises:
        OSError: no such process or descriptor, or not permitted.
    """
    return Path(f"/proc/{pid}/fdinfo/{fd}").read_text()


def read_fdinfo(fd: int, pid: int | str = "self") -> dict[str, str]:
    """The `key: value` lines that occur once; values stripped. `tfd` lines of an epoll are left out.

    Raises:
        OSError: no such process or descriptor, or not permitted.
    """
    pairs = (line.partition(":") for line in read_fdinfo_text(fd, pid).splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs if key.strip() != "tfd"}


def parse_registration(line: str) -> Registration:
    """One `tfd:` line, such as `tfd: 5 events: 19 data: 5  pos:0 ino:61 sdev:e`."""
    words = line.replace(":", " ").split()
    found = dict(zip(words[::2], words[1::2], strict=True))
    return Registration(
        tfd=int(found["tfd"]),
        events=int(found["events"], 16),
        data=int(found["data"], 16),
        pos=int(found.get("pos", "0")),
        ino=int(found.get("ino", "0"), 16),
        sdev=int(found.get("sdev", "0"), 16),
    )


def read_interest_list(fd: int, pid: int | str = "self") -> list[Registration]:
    """The interest list of epoll `fd` in process `pid`, in the kernel's order (which is kcmp's `toff` order).

    Raises:
        OSError: no such process or descriptor, or not permitted.
    """
    lines = read_fdinfo_text(fd, pid).splitlines()
    return [parse_registration(line) for line in lines if line.startswith("tfd:")]


def kind_of(fd: int, pid: int | str = "self") -> str:
    """What a descriptor is: `eventfd`, `eventpoll`, `signalfd`, `pipe`, `socket`, or the path it names.

    Raises:
        OSError: not open (ENOENT), no such process, or not permitted.
    """
    target = os.readlink(f"/proc/{pid}/fd/{fd}")  # noqa: PTH115  "pipe:[1]" is no path
    if target.startswith("anon_inode:"):
        return target.removeprefix("anon_inode:").strip("[]")
    return target.partition(":")[0] if target.startswith(("pipe:", "socket:")) else target
