"""An inspection of live processes: their epolls, eventfds and signalfds. Nothing is attached, stopped or changed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from toolkit.inspect.comparing import BUDGET, Descriptor, kcmp_refused
from toolkit.inspect.descriptors import Tables, Unreadable, read_links
from toolkit.inspect.entries import EntryMaker
from toolkit.inspect.interest import InterestList, Verdict
from toolkit.inspect.masks import names_of, read_threads
from toolkit.inspect.processes import list_processes, nested_pids, own_pid_in_proc
from toolkit.inspect.records import EpollRecord, EventFdRecord, Holder, Record, SignalFdRecord, State, Survey
from toolkit.inspect.settling import settle
from toolkit.inspect.targets import Targets
from toolkit.inspect.watching import EPOLL_LINK, Epolls, Group
from toolkit.primitives.fdinfo import kind_of_link
from toolkit.records import Word

EVENTFD_LINK = "anon_inode:[eventfd]"
SIGNALFD_LINK = "anon_inode:[signalfd]"
_SHOWN = (EPOLL_LINK, EVENTFD_LINK, SIGNALFD_LINK)
_SHOWN_PIDS = 10


class NotFoundError(ValueError):
    """No such process, or no such descriptor in it; the message says what there is instead."""


def survey(
    pids: Iterable[int] | None = None,
    *,
    fd: int | None = None,
    who_watches: int | None = None,
    only_stale: bool = False,
    budget_s: float = 1.0,
) -> Survey:
    """Looks into processes.

    Args:
        pids: which; None for every process that may be read, without this one.
        fd: only the epoll, eventfd or signalfd with that number.
        who_watches: instead, the entries, of any process's epolls, that watch this number of the processes.
        only_stale: nothing but stale entries, and of epolls those that have one: everything else is not even described.
        budget_s: seconds of kcmp(2) for each epoll. A call walks the epoll's interest list and holds its lock, for
            which its epoll_ctl, and epoll_wait when it has events, wait. Entries left over are `unknown`.

    Raises:
        NotFoundError: a process or descriptor that was asked for does not exist.
    """
    return _Survey(pids, only_stale, budget_s).run(fd, who_watches)


class _Survey:
    def __init__(self, pids: Iterable[int] | None, only_stale: bool, budget_s: float) -> None:
        self.tables = Tables.read()
        self.asked = None if pids is None else tuple(dict.fromkeys(pids))
        self.only_stale = only_stale
        self.notes: list[str] = []
        self.unknown: Counter[str | None] = Counter()
        me = own_pid_in_proc()
        if self.asked is None:
            self.scope = [pid for pid in self.tables.links if pid != me]
        else:
            self.scope = list(self._readable(self.asked))
        self.targets = Targets(self.tables)
        self.maker = EntryMaker(self.tables, self.targets)
        self.epolls = Epolls(self.tables, frozenset(self.scope), budget_s)
        self._nested: dict[int, tuple[int, ...] | None] = {}

    def run(self, fd: int | None, who_watches: int | None) -> Survey:
        if who_watches is not None:
            records: list[Record] = [*self._watchers(who_watches)]
        else:
            self._require(fd)
            records = [*self._epolls(fd)]
            if not self.only_stale:
                records += [*self._eventfds(fd), *self._signalfds(fd)]
        records.sort(key=lambda record: (record.pid, record.fd))
        self._note_limits()
        return Survey(tuple(records), tuple(self.notes))

    # --- which processes and descriptors ---

    def _readable(self, asked: Iterable[int]) -> Iterator[int]:
        for pid in asked:
            if pid not in self.tables.links and pid not in self.tables.unreadable:
                found = read_links(pid)  # a thread's number is not listed, yet its folder is there
                if isinstance(found, Unreadable):
                    self.tables.unreadable[pid] = found
                else:
                    self.tables.links[pid] = found
            why = self.tables.unreadable.get(pid)
            if why is Unreadable.ENDED and pid not in list_processes():
                raise NotFoundError(f"there is no process {pid}")
            if why is Unreadable.NOT_PERMITTED:
                self.notes.append(
                    f"process {pid} may not be read: it belongs to another user or is protected (ptrace(2))"
                )
            elif why is Unreadable.ENDED:
                self.notes.append(f"process {pid} ended while it was read")
            else:
                yield pid

    def _require(self, fd: int | None) -> None:
        """Raises NotFoundError unless `fd`, when given, is one to show in at least one process."""
        if fd is None or not self.scope:
            return
        links = {pid: self.tables.links[pid].get(fd) for pid in self.scope}
        if any(link in _SHOWN for link in links.values()):
            return
        pid, link = next(((pid, link) for pid, link in links.items() if link), (self.scope[0], None))
        if link:
            raise NotFoundError(
                f"descriptor {fd} of process {pid} is no epoll, eventfd or signalfd but {kind_of_link(link)}; "
                f"--who-watches {fd} says which epolls watch it"
            )
        there = sorted(number for number, text in self.tables.links[pid].items() if text in _SHOWN)
        choice = f"it has {', '.join(map(str, there))} to look into" if there else "it has none to look into"
        raise NotFoundError(f"descriptor {fd} is not open in process {pid}; {choice}")

    def _matching(self, link: str, fd: int | None) -> Iterator[Descriptor]:
        inside = frozenset(self.scope)
        for pid, number in self.tables.naming(link):
            if pid in inside and fd in (None, number):
                yield pid, number

    # --- records ---

    def _epolls(self, fd: int | None) -> list[EpollRecord]:
        wanted = frozenset(self._matching(EPOLL_LINK, fd))
        return self._make({group: None for group in self.epolls.groups if not wanted.isdisjoint(group)})

    def _make(self, wanted: Mapping[Group, list[int] | None]) -> list[EpollRecord]:
        """Records of these epolls, with all entries or those listed: first all verdicts, then the words for targets."""
        settled = [
            found for group, only in wanted.items() if (found := self._settle(group, only)) is not None
        ]
        self.unknown.update(
            verdict.reason
            for _, found in settled
            for verdict in found.values()
            if verdict.state is State.UNKNOWN
        )
        if self.only_stale:
            settled = [(listed, stale) for listed, found in settled if (stale := _stale_among(found))]
        for listed, _ in settled:
            self.targets.expect(listed.holders[0][0], listed.entries)
        return [self._epoll(listed, verdicts) for listed, verdicts in settled]

    def _settle(self, group: Group, only: list[int] | None) -> tuple[InterestList, dict[int, Verdict]] | None:
        listed = self.epolls.read(group)
        try:
            return None if listed is None else settle(listed, self.epolls.find_holders, only)
        except OSError:  # it went away between the two looks
            return None

    def _epoll(self, listed: InterestList, verdicts: dict[int, Verdict]) -> EpollRecord:
        (pid, fd), *others = listed.holders
        entries = self.maker.make(listed, verdicts)
        shared = tuple(Holder(*other) for other in others)
        return EpollRecord(pid, fd, self.targets.name(pid), entries, shared, self._nspid(pid))

    def _watchers(self, number: int) -> list[EpollRecord]:
        seen: dict[Group, set[int]] = defaultdict(set)
        unclear = 0
        named = [pid for pid in self.scope if number in self.tables.links[pid]]
        if self.scope and not named:
            raise NotFoundError(f"descriptor {number} is not open in process {self.scope[0]}")
        for pid in named:
            found, more = self.epolls.find_entries((pid, number))
            unclear += more
            for group, indices in found.items():
                seen[group].update(indices)
        if unclear:
            self.notes.append(f"{unclear} entries could not be compared with it: budget")
        if self.scope and not seen:
            self.notes.append(f"no epoll that can be read watches descriptor {number}")
        return self._make({group: sorted(matching) for group, matching in seen.items()})

    def _eventfds(self, fd: int | None) -> Iterator[EventFdRecord]:
        wanted = list(self._matching(EVENTFD_LINK, fd))
        if not wanted:
            return
        fields = {
            who: found for who in self.tables.naming(EVENTFD_LINK) if (found := self.targets.fields(*who))
        }
        by_id: defaultdict[str, list[Descriptor]] = defaultdict(list)
        for who, found in fields.items():
            by_id[found.get("eventfd-id", f"{who}")].append(who)
        for who in wanted:
            found = fields.get(who, {})
            if "eventfd-count" not in found:
                continue  # closed, or its process ended, since the table was read
            same = by_id[found.get("eventfd-id", f"{who}")]
            semaphore = found.get("eventfd-semaphore")
            yield EventFdRecord(
                *who,
                self.targets.name(who[0]),
                Word(found["eventfd-count"], 16),
                int(found["eventfd-id"]) if "eventfd-id" in found else None,
                None if semaphore is None else semaphore != "0",
                tuple(Holder(*other) for other in same if other != who),
                self.epolls.watching(same),
                self._nspid(who[0]),
            )

    def _signalfds(self, fd: int | None) -> Iterator[SignalFdRecord]:
        for who in self._matching(SIGNALFD_LINK, fd):
            found = self.targets.fields(*who)
            if "sigmask" not in found:
                continue
            mask = int(found["sigmask"], 16)
            pending, threads = read_threads(who[0], mask)
            name = self.targets.name(who[0])
            watched = self.epolls.watching([who])
            yield SignalFdRecord(*who, name, names_of(mask), pending, threads, watched, self._nspid(who[0]))

    def _nspid(self, pid: int) -> tuple[int, ...] | None:
        if pid not in self._nested:
            self._nested[pid] = nested_pids(pid)
        return self._nested[pid]

    # --- what could not be seen ---

    def _note_limits(self) -> None:
        refused = [pid for pid, why in self.tables.unreadable.items() if why is Unreadable.NOT_PERMITTED]
        if refused and self.asked is None:
            shown = ", ".join(map(str, refused[:_SHOWN_PIDS]))
            more = len(refused) - _SHOWN_PIDS
            self.notes.append(
                f"{len(refused)} processes may not be read (another user's or protected): {shown}"
                + (f" and {more} more" if more > 0 else "")
            )
        if self.unknown[BUDGET]:
            self.notes.append(
                f"{self.unknown[BUDGET]} entries are unknown: the budget for kcmp was spent; --budget raises it"
            )
        why = kcmp_refused()
        if why is not None and self.unknown[why]:
            self.notes.append(
                f"{self.unknown[why]} entries are unknown, since only kcmp(2) can settle them: {why}"
            )


def _stale_among(verdicts: dict[int, Verdict]) -> dict[int, Verdict]:
    return {index: verdict for index, verdict in verdicts.items() if verdict.state is State.STALE}
