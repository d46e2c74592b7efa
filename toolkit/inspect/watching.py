"""Who watches a descriptor: the epolls of all processes, each read once."""

from collections import defaultdict

from toolkit.inspect.comparing import BUDGET, Comparer, Descriptor, group_by_file, is_same_file
from toolkit.inspect.descriptors import Tables, status_of
from toolkit.inspect.inodes import inner_filesystems, kernel_device
from toolkit.inspect.interest import InterestList, Naming, eldest_first, read
from toolkit.inspect.records import Watcher

EPOLL_LINK = "anon_inode:[eventpoll]"

Group = tuple[Descriptor, ...]
"""The descriptors that name one epoll."""


class Epolls:
    """Every epoll of every process that may be read; interest lists are read when asked for."""

    def __init__(self, tables: Tables, scope: frozenset[int], budget_s: float) -> None:
        self._tables = tables
        self._budget_s = budget_s
        self._lists: dict[Group, InterestList | None] = {}
        self.groups: list[Group] = [
            _scope_first(group, scope) for group in group_by_file(tables.naming(EPOLL_LINK))
        ]
        self._of_process: defaultdict[int, list[Group]] = defaultdict(list)
        for group in self.groups:
            for pid in {pid for pid, _ in group}:
                self._of_process[pid].append(group)

    def read(self, group: Group) -> InterestList | None:
        """Its interest list; None when it went away or may not be read."""
        if group not in self._lists:
            try:
                self._lists[group] = read(group, Comparer(self._budget_s), self._tables)
            except OSError:
                self._lists[group] = None
        return self._lists[group]

    def find_holders(self, group: Group) -> Group:
        """Who holds that epoll, by comparing it with every other: without what may have gone wrong in sorting all."""
        known = set(group)
        others = (one for one in self._tables.naming(EPOLL_LINK) if one not in known)
        return group + eldest_first(one for one in others if is_same_file(group[0], one))

    def watching(self, descriptors: list[Descriptor]) -> tuple[Watcher, ...]:
        """The epolls in which one of these descriptors of one file is registered and live."""
        found = set()
        for pid, fd in descriptors:
            for group in self._of_process.get(pid, ()):
                listed = self.read(group)
                if listed is None:
                    continue
                live = any(listed.naming(pid, index).naming is Naming.SAME for index in listed.under(fd))
                if live:
                    epfd = next(number for holder, number in group if holder == pid)
                    found.add((pid, epfd, fd))
        return tuple(Watcher(*one) for one in sorted(found))

    def find_entries(self, who: Descriptor) -> tuple[dict[Group, list[int]], int]:
        """Every entry, live or stale and under any number, whose file is the one that `who` names.

        Also gives how many entries could not be compared within the budgets.
        """
        status = status_of(*who)
        if status is None:
            return {}, 0
        inode = status.st_ino, kernel_device(status.st_dev)
        found: dict[Group, list[int]] = {}
        unclear = 0
        for group in self.groups:
            listed = self.read(group)
            if listed is None:
                continue
            # An inode as stat(2) tells it may differ from fdinfo's on overlayfs and btrfs: try the number as well.
            by_number = set(listed.under(who[1])) if who[0] in dict(group) else set()
            for index, entry in enumerate(listed.entries):
                same: bool | str = False
                if (entry.ino, entry.sdev) == inode and entry.sdev == inner_filesystems().sockets:
                    same = True
                elif (entry.ino, entry.sdev) in (inode, (0, 0)) or index in by_number:
                    same = listed.is_file(who, index)
                if same is True:
                    found.setdefault(group, []).append(index)
                unclear += same == BUDGET
        return found, unclear


def _scope_first(group: list[Descriptor], scope: frozenset[int]) -> Group:
    asked = [one for one in group if one[0] in scope]
    others = [one for one in group if one[0] not in scope]
    return eldest_first(asked) + eldest_first(others)
