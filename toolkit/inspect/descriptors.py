"""Descriptor tables of every process that may be read, as of one moment, and who holds which file."""

import os
import stat
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from toolkit.inspect.processes import list_processes
from toolkit.inspect.records import Holder

Links = dict[int, str]
"""Number to what its /proc/PID/fd link says."""


class Unreadable(Enum):
    """Why a process's descriptors are not known."""

    ENDED = "ended"
    NOT_PERMITTED = "not permitted"


def read_links(pid: int) -> Links | Unreadable:
    """The descriptors of `pid`. A number that is closed while the table is read is left out."""
    try:
        folder = os.open(f"/proc/{pid}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return Unreadable.NOT_PERMITTED
    except OSError:
        return Unreadable.ENDED
    found: Links = {}
    readlink = os.readlink
    try:
        for name in os.listdir(folder):  # noqa: PTH208  an open folder
            try:
                found[int(name)] = readlink(name, dir_fd=folder)  # relative: half the cost of a full path
            except FileNotFoundError:
                continue
            except PermissionError:  # listing may be allowed where following is not: CAP_DAC_READ_SEARCH
                return Unreadable.NOT_PERMITTED
    except OSError:  # ESRCH: it ended
        return Unreadable.ENDED
    finally:
        os.close(folder)
    return found


def link_of(pid: int, fd: int) -> str | None:
    """What one number names now; None when it is closed or the process ended."""
    try:
        return os.readlink(f"/proc/{pid}/fd/{fd}")  # noqa: PTH115  thousands of them: pathlib would cost as much again
    except OSError:
        return None


def status_of(pid: int, fd: int) -> os.stat_result | None:
    """stat(2) of the file that a number names now; None when it is closed or the process ended."""
    try:
        return os.stat(f"/proc/{pid}/fd/{fd}")  # noqa: PTH116  as above
    except OSError:
        return None


def access_of(pid: int, fd: int) -> str | None:
    """`r`, `w` or `rw`: how the number was opened, which the link's own permission bits say (proc_pid_fd(5))."""
    try:
        mode = os.lstat(f"/proc/{pid}/fd/{fd}").st_mode
    except OSError:
        return None
    return "r" * bool(mode & stat.S_IRUSR) + "w" * bool(mode & stat.S_IWUSR) or None


@dataclass
class Tables:
    """All tables that could be read, and the processes that could not."""

    links: dict[int, Links]
    unreadable: dict[int, Unreadable]
    _by_link: dict[str, list[tuple[int, int]]] | None = field(default=None, repr=False)

    @classmethod
    def read(cls) -> "Tables":
        """Reads every process's."""
        links: dict[int, Links] = {}
        unreadable: dict[int, Unreadable] = {}
        for pid in list_processes():
            found = read_links(pid)
            if isinstance(found, Unreadable):
                unreadable[pid] = found
            else:
                links[pid] = found
        return cls(links, unreadable)

    def link(self, pid: int, fd: int) -> str | None:
        """What a number named; None when it was closed or its process could not be read."""
        links = self.links.get(pid)
        return None if links is None else links.get(fd)

    def naming(self, link: str) -> list[tuple[int, int]]:
        """Every `(pid, fd)` whose link reads so, lowest first."""
        if self._by_link is None:
            self._by_link = defaultdict(list)
            for pid, fd, text in self:
                self._by_link[text].append((pid, fd))
        return self._by_link.get(link, [])

    def holders(self, link: str) -> tuple[Holder, ...]:
        """As `naming`, with how each was opened."""
        return tuple(Holder(pid, fd, access_of(pid, fd)) for pid, fd in self.naming(link))

    def __iter__(self) -> Iterator[tuple[int, int, str]]:
        for pid, links in self.links.items():
            for fd, text in links.items():
                yield pid, fd, text
