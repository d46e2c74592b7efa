"""What a descriptor names, in words and fields: sockets with addresses, pipes with their other end, timers, ..."""

import stat
from dataclasses import replace

from toolkit.inspect.descriptors import Tables, access_of, status_of
from toolkit.inspect.inodes import inner_filesystems
from toolkit.inspect.processes import name_of
from toolkit.inspect.records import Holder, Target
from toolkit.inspect.sockets import SocketTables, protocol_name
from toolkit.primitives.fdinfo import Registration, kind_of_link, read_fdinfo

_KINDS = {"eventpoll": "epoll"}
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pty")
_CLOCKS = {0: "CLOCK_REALTIME", 1: "CLOCK_MONOTONIC", 7: "CLOCK_BOOTTIME", 8: "CLOCK_REALTIME_ALARM",
           9: "CLOCK_BOOTTIME_ALARM"}  # fmt: skip
_SHOWN_HOLDERS = 4


class Targets:
    """Describes files, asking each source once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._sockets = SocketTables()
        self._names: dict[int, str] = {}
        self._fields: dict[tuple[int, int], dict[str, str]] = {}

    def expect(self, pid: int, entries: list[Registration]) -> None:
        """Says what will be asked for, so that the tables of sockets are read once."""
        sockets = inner_filesystems().sockets
        self._sockets.want(pid, {entry.ino for entry in entries if entry.sdev == sockets})

    def name(self, pid: int) -> str:
        """The process's name, remembered."""
        if pid not in self._names:
            self._names[pid] = name_of(pid)
        return self._names[pid]

    def fields(self, pid: int, fd: int) -> dict[str, str]:
        """What the descriptor's fdinfo says, as first read; nothing when it is closed."""
        found = self._fields.get((pid, fd))
        if found is None:
            try:
                found = read_fdinfo(fd, pid)
            except OSError:
                found = {}
            self._fields[pid, fd] = found
        return found

    def describe(self, pid: int, fd: int, link: str) -> Target:
        """The file that a descriptor names, whose link reads `link`."""
        if link.startswith("socket:["):
            return self._socket(int(link[8:-1]), pid, fd)
        if link.startswith("pipe:["):
            return self._pipe(link, int(link[6:-1]), access_of(pid, fd))
        if link.startswith("anon_inode:"):
            return self._anonymous(pid, fd, link)
        return self._path(pid, fd, link)

    def describe_inode(self, ino: int, sdev: int) -> Target:
        """A file known by inode alone, nobody's descriptor being known to name it."""
        inner = inner_filesystems()
        if sdev == inner.sockets:
            return self._socket(ino, None, None)
        if sdev == inner.pipes:
            return self._pipe(f"pipe:[{ino}]", ino, None)
        if sdev == inner.anonymous:
            return Target("unknown", "an anonymous inode (eventfd, timerfd, epoll, ...)")
        return Target("unknown", f"inode {ino} of device {sdev >> 20}:{sdev & 0xFFFFF}", ino=ino)

    def spell_holders(self, holders: tuple[Holder, ...]) -> str:
        """`4711/7 (sh), 4712/3 (cat)`: process, number and name, the first few."""
        shown = [f"{holder.pid}/{holder.fd} ({self.name(holder.pid)})" for holder in holders[:_SHOWN_HOLDERS]]
        more = len(holders) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")

    def _socket(self, ino: int, pid: int | None, fd: int | None) -> Target:
        found = self._sockets.find(ino)
        if found is None:
            protocol = protocol_name(pid, fd) if pid is not None and fd is not None else None
            return Target("socket", f"socket {protocol or 'of unknown protocol'}, in no table", ino, protocol)
        ends = [end for end in (found.local, found.peer and f"-> {found.peer}", found.state) if end]
        text = " ".join(["socket", found.protocol, *ends])
        return Target("socket", text, ino, found.protocol, found.local, found.peer, found.state)

    def _pipe(self, link: str, ino: int, access: str | None) -> Target:
        holders = self._tables.holders(link)
        wanted = {"r": "w", "w": "r"}.get(access or "")
        if wanted is None:
            return Target("pipe", f"pipe {ino}", ino, access=access, other_end=holders)
        ends = tuple(holder for holder in holders if wanted in (holder.access or ""))
        verb = {"w": "written", "r": "read"}[wanted]
        by = self.spell_holders(ends) or "nobody that can be seen"
        return Target("pipe", f"pipe {ino}, {verb} by {by}", ino, access=access, other_end=ends)

    def _anonymous(self, pid: int, fd: int, link: str) -> Target:
        kind = kind_of_link(link)
        kind = _KINDS.get(kind, kind)
        if kind == "epoll":
            return Target(kind, f"epoll {fd}", fd=fd)
        if kind not in ("eventfd", "timerfd", "pidfd", "signalfd"):
            return Target(kind, kind)
        fields = self.fields(pid, fd)
        if not fields:
            return Target(kind, kind)
        if kind == "eventfd":
            number = int(fields["eventfd-id"]) if "eventfd-id" in fields else None
            return Target(kind, kind if number is None else f"eventfd id {number}", eventfd_id=number)
        if kind == "pidfd":
            process = int(fields.get("Pid", "-1"))
            return Target(
                kind, f"pidfd of {process}" if process > 0 else "pidfd of an ended process", process=process
            )
        if kind == "timerfd":
            return Target(kind, f"timerfd {_timer(fields)}")
        return Target(kind, f"signalfd {fd}")

    def _path(self, pid: int, fd: int, link: str) -> Target:
        status = status_of(pid, fd)
        if status is None:
            return Target("unknown", link)
        if stat.S_ISFIFO(status.st_mode):
            pipe = self._pipe(link, status.st_ino, access_of(pid, fd))
            return replace(pipe, kind="fifo", text=pipe.text.replace(f"pipe {status.st_ino}", f"fifo {link}"))
        if link.startswith(_TERMINALS):
            return Target("tty", f"tty {link}", status.st_ino)
        kind = "device" if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode) else "file"
        return Target(kind, f"{kind} {link}", status.st_ino)


def _timer(fields: dict[str, str]) -> str:
    clock = int(fields.get("clockid", "-1"))
    left = fields.get("it_value", "(0, 0)").strip("()").split(",")
    seconds = int(left[0]) + int(left[1]) / 1e9
    due = f"due in {seconds:.3f} s" if seconds else "disarmed"
    ticks = int(fields.get("ticks", "0"))
    return f"{_CLOCKS.get(clock, f'clock {clock}')} {due}" + (f", {ticks} expiries unread" if ticks else "")
