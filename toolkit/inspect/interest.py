"""One epoll's interest list, and whether each entry's number still names the file it was registered for."""

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from toolkit.inspect.comparing import BUDGET, CHANGED, Cannot, Comparer, Descriptor
from toolkit.inspect.descriptors import Tables, link_of, status_of
from toolkit.inspect.inodes import inner_filesystems, kernel_device
from toolkit.inspect.processes import descends_from, started
from toolkit.inspect.records import Method, State
from toolkit.primitives.fdinfo import Registration, read_interest_list


class Naming(Enum):
    """What a number of a process is to an entry registered under it."""

    SAME = "names the registered file"
    OTHER = "names another file"
    CLOSED = "is closed"
    UNCLEAR = "cannot be told"


class Answer(NamedTuple):
    """A naming, which evidence it rests on, and why when it cannot be told."""

    naming: Naming
    method: Method
    reason: str | None = None


class Verdict(NamedTuple):
    """An entry's state. `in_pid`: another process, sharing the epoll, whose number names the file."""

    state: State
    method: Method
    naming: Naming
    reason: str | None = None
    in_pid: int | None = None


_CLOSED = Answer(Naming.CLOSED, Method.CLOSED)
_SAME_INODE = Answer(Naming.SAME, Method.INODE)
_OTHER_INODE = Answer(Naming.OTHER, Method.INODE)
_LIVE_BY_INODE = Verdict(State.LIVE, Method.INODE, Naming.SAME)


class InterestList:
    """An epoll as read at one moment, and the descriptors that hold it: the first is judged by.

    The kernel does not tell who registered an entry. A number that is not the file's in the process judged by, but is
    in a process that shares the epoll, is stale where that process descends from it (the file was inherited and closed
    here, or registered there, and its events reach both), and live otherwise.
    """

    def __init__(
        self,
        holders: tuple[Descriptor, ...],
        entries: list[Registration],
        compare: Comparer,
        tables: Tables | None,
    ) -> None:
        """Numbers are looked up in `tables`; without them in /proc, at the moment they are asked for."""
        self.holders = holders
        self.entries = entries
        self.compare = compare
        self._tables = tables
        self._epfds = dict(reversed(holders))
        self._answers: dict[tuple[int, int], Answer] = {}
        self._heirs: dict[int, bool] = {}
        self._by_number: defaultdict[int, list[int]] = defaultdict(list)
        for index, entry in enumerate(entries):
            self._by_number[entry.tfd].append(index)

    def under(self, tfd: int) -> list[int]:
        """Indices of the entries with that number."""
        return self._by_number.get(tfd, [])

    def toff(self, index: int) -> int:
        """kcmp's `toff` of an entry: how many with its number come before."""
        return self._by_number[self.entries[index].tfd].index(index)

    def keys(self) -> list[tuple[int, ...]]:
        """What tells entries apart from one reading to the next."""
        seen: defaultdict[tuple[int, ...], int] = defaultdict(int)
        found: list[tuple[int, ...]] = []
        for entry in self.entries:
            key = (entry.tfd, entry.ino, entry.sdev, entry.data)
            found.append((*key, seen[key]))
            seen[key] += 1
        return found

    def judge(self, indices: Iterable[int]) -> dict[int, Verdict]:
        """The verdict on each entry. Those that share a number come first: at most one of them is live in a process,
        so that the budget goes where it is needed.
        """
        order = sorted(indices, key=lambda index: len(self._by_number[self.entries[index].tfd]) == 1)
        return {index: self._verdict(index) for index in order}

    def is_file(self, who: Descriptor, index: int) -> bool | Cannot:
        """Whether descriptor `who`, of any process and number, is the entry's file."""
        return self.compare.is_target(who, self._through(who[0]), self.entries[index].tfd, self.toff(index))

    def naming(self, pid: int, index: int) -> Answer:
        """What the entry's number is in process `pid`; remembered."""
        answer = self._answers.get((pid, index))
        if answer is None:
            answer = self._answers[pid, index] = self._look(pid, index)
        return answer

    def look_again(self, index: int) -> Naming:
        """What the entry's number is in the process judged by, now."""
        return self._look(self.holders[0][0], index).naming

    def still_has(self, index: int) -> bool | Cannot:
        """Whether the epoll has that entry now: kcmp, asked if it is the epoll itself, says ENOENT without one."""
        entry = self.entries[index]
        same = self.compare.is_target(self.holders[0], self.holders[0], entry.tfd, self.toff(index))
        return False if same == CHANGED else same if isinstance(same, Cannot) else True

    def _through(self, pid: int) -> Descriptor:
        return (pid, self._epfds[pid]) if pid in self._epfds else self.holders[0]

    def _verdict(self, index: int) -> Verdict:
        pid = self.holders[0][0]
        own = self.naming(pid, index)
        if own is _SAME_INODE:
            return _LIVE_BY_INODE
        if own.naming is Naming.SAME:
            return Verdict(State.LIVE, own.method, own.naming)
        if own.naming is Naming.UNCLEAR:
            # Another process's number could still be found to name the file, but not whether ours does as well.
            return Verdict(State.UNKNOWN, Method.NONE, own.naming, own.reason)
        unclear: Answer | None = None
        for other in self._owners(index):
            answer = self.naming(other, index)
            if answer.naming is Naming.SAME and not self._is_heir(other):
                return Verdict(State.LIVE, answer.method, own.naming, "another process's number", other)
            if answer.naming is Naming.SAME:
                return Verdict(State.STALE, own.method, own.naming, None, other)
            if answer.naming is Naming.UNCLEAR:
                unclear = unclear or answer
                if answer.reason == BUDGET:
                    break
        if unclear is not None:
            return Verdict(State.UNKNOWN, Method.NONE, unclear.naming, unclear.reason)
        return Verdict(State.STALE, own.method, own.naming)

    def _owners(self, index: int) -> list[int]:
        """The other processes that share the epoll and might have the entry's number for its file."""
        if len(self._epfds) == 1:
            return []
        entry = self.entries[index]
        link = link_of_inode(entry.ino, entry.sdev)
        if link is None or self._tables is None:
            return [pid for pid in self._epfds if pid != self.holders[0][0]]
        return [pid for pid, fd in self._tables.naming(link) if fd == entry.tfd and pid in self._epfds]

    def _is_heir(self, pid: int) -> bool:
        if pid not in self._heirs:
            self._heirs[pid] = descends_from(pid, self.holders[0][0])
        return self._heirs[pid]

    def _look(self, pid: int, index: int) -> Answer:
        entry = self.entries[index]
        link = self._tables.link(pid, entry.tfd) if self._tables else link_of(pid, entry.tfd)
        if link is None:
            return _CLOSED
        inner = inner_filesystems()
        known = bool(entry.sdev or entry.ino)  # before Linux 4.13 fdinfo tells neither
        if known and link.startswith("socket:["):
            same = entry.sdev == inner.sockets and entry.ino == _inode_in(link)
            return _SAME_INODE if same else _OTHER_INODE
        if known and link.startswith("pipe:["):
            if entry.sdev != inner.pipes or entry.ino != _inode_in(link):
                return _OTHER_INODE
        elif known and link.startswith("anon_inode:"):
            if entry.sdev in (inner.sockets, inner.pipes):
                return _OTHER_INODE
        elif known and entry.sdev in inner.all:
            return _OTHER_INODE
        return self._ask_kcmp(pid, index, link)

    def _ask_kcmp(self, pid: int, index: int, link: str) -> Answer:
        entry = self.entries[index]
        same = self.is_file((pid, entry.tfd), index)
        if not isinstance(same, Cannot):
            return Answer(Naming.SAME if same else Naming.OTHER, Method.KCMP)
        # A path's inode may differ from the entry's on overlayfs and btrfs; only where kcmp is mute must it do.
        if link.startswith("/") and not _has_inode(pid, entry):
            return _OTHER_INODE
        return Answer(Naming.UNCLEAR, Method.NONE, str(same))


def _inode_in(link: str) -> int:
    return int(link[link.index("[") + 1 : -1])


def _has_inode(pid: int, entry: Registration) -> bool:
    status = status_of(pid, entry.tfd)
    if status is None:
        return True  # closed meanwhile: nothing is proved
    return (status.st_ino, kernel_device(status.st_dev)) == (entry.ino, entry.sdev)


def link_of_inode(ino: int, sdev: int) -> str | None:
    """What links to a socket or pipe read, given its inode; None for other files."""
    inner = inner_filesystems()
    if sdev == inner.sockets:
        return f"socket:[{ino}]"
    return f"pipe:[{ino}]" if sdev == inner.pipes else None


def eldest_first(holders: Iterable[Descriptor]) -> tuple[Descriptor, ...]:
    """The descriptors of one epoll, the process that started first before its children."""
    listed = list(holders)
    if len(listed) == 1:
        return tuple(listed)
    ages = {pid: started(pid) for pid in {pid for pid, _ in listed}}
    return tuple(sorted(listed, key=lambda holder: (ages[holder[0]], holder)))


def read(holders: tuple[Descriptor, ...], compare: Comparer, tables: Tables | None) -> InterestList:
    """The list of the epoll, through the first holder that can be read.

    Raises:
        OSError: none could: all ended or closed it, or reading is not permitted.
    """
    failure: OSError | None = None
    for at, (pid, fd) in enumerate(holders):
        try:
            entries = read_interest_list(fd, pid)
        except OSError as error:
            failure = failure or error
            continue
        return InterestList(holders[at:], entries, compare, tables)
    raise failure or ProcessLookupError("an epoll without holders")
