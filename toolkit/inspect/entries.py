"""Entries of an interest list as records: state, target, what the data word looks like, and findings."""

from collections.abc import Iterable
from functools import lru_cache

from toolkit.ffi.flags import EpollEvents, names
from toolkit.inspect.descriptors import Tables, access_of, link_of
from toolkit.inspect.findings import explain
from toolkit.inspect.inodes import inner_filesystems
from toolkit.inspect.interest import InterestList, Verdict
from toolkit.inspect.records import DataHint, Entry, Holder, State, Target
from toolkit.inspect.targets import Targets
from toolkit.records import Word

_LOW_HALF = 0xFFFFFFFF
# User space ends at 2^47, with five-level page tables at 2^56 (Documentation/arch/x86/x86_64/mm.rst).
_ADDRESSES = range(1 << 32, 1 << 56)


@lru_cache(maxsize=4096)
def _event_names(events: int) -> tuple[str, ...]:
    return tuple(names(events, EpollEvents))


def data_hint(data: int, tfd: int) -> DataHint | None:
    """What the data word looks like."""
    if data == tfd:
        return DataHint.NUMBER
    if data & _LOW_HALF == tfd:
        return DataHint.NUMBER_LOW_HALF
    return DataHint.POINTER if data in _ADDRESSES else None


class EntryMaker:
    """Makes the records of entries, given what all processes hold."""

    def __init__(self, tables: Tables, targets: Targets) -> None:
        self._tables = tables
        self._targets = targets

    def make(self, listed: InterestList, verdicts: dict[int, Verdict]) -> tuple[Entry, ...]:
        """One record for each verdict, by number."""
        made = [self._entry(listed, index, verdict) for index, verdict in verdicts.items()]
        made.sort(key=lambda entry: (entry.tfd, entry.data))
        return tuple(made)

    def _entry(self, listed: InterestList, index: int, verdict: Verdict) -> Entry:
        entry = listed.entries[index]
        pid = listed.holders[0][0]
        held_by: tuple[Holder, ...] | None = None
        finding = None
        if verdict.state is State.STALE:
            held_by = self._holders(listed, index)
            now = self._named(pid, entry.tfd)
            spelt = self._targets.spell_holders(held_by)
            finding = explain(pid, entry, verdict, now.text if now else None, held_by, spelt)
            target = self._registered(listed, index, held_by)
        elif verdict.state is State.LIVE or entry.sdev == inner_filesystems().anonymous:
            named = self._named(verdict.in_pid or pid, entry.tfd)
            target = named or self._targets.describe_inode(entry.ino, entry.sdev)
        else:
            target = self._targets.describe_inode(entry.ino, entry.sdev)
        return Entry(
            tfd=entry.tfd,
            events=_event_names(entry.events),
            data=Word(entry.data),
            state=verdict.state,
            method=verdict.method,
            target=target,
            data_hint=data_hint(entry.data, entry.tfd),
            reason=verdict.reason,
            in_pid=verdict.in_pid,
            held_by=held_by,
            finding=finding,
        )

    def _named(self, pid: int, fd: int) -> Target | None:
        link = self._tables.link(pid, fd) or link_of(pid, fd)
        return self._targets.describe(pid, fd, link) if link else None

    def _registered(self, listed: InterestList, index: int, held_by: tuple[Holder, ...]) -> Target:
        entry = listed.entries[index]
        if held_by:
            named = self._named(held_by[0].pid, held_by[0].fd)
            if named is not None:
                return named
        return self._targets.describe_inode(entry.ino, entry.sdev)

    def _holders(self, listed: InterestList, index: int) -> tuple[Holder, ...]:
        entry = listed.entries[index]
        inner = inner_filesystems()
        if entry.sdev == inner.sockets:
            return self._tables.holders(f"socket:[{entry.ino}]")
        if entry.sdev == inner.pipes:
            found: Iterable[tuple[int, int]] = self._tables.naming(f"pipe:[{entry.ino}]")
        else:
            found = self._candidates(listed.holders[0][0], anonymous=entry.sdev == inner.anonymous)
        return tuple(Holder(*who, access_of(*who)) for who in found if listed.is_file(who, index) is True)

    def _candidates(self, first: int, *, anonymous: bool) -> Iterable[tuple[int, int]]:
        """Descriptors that might be an entry's file, those of process `first` before all others."""
        own = self._tables.links.get(first, {})
        for fd, link in own.items():
            if _may_be(link, anonymous):
                yield first, fd
        for pid, fd, link in self._tables:
            if pid != first and _may_be(link, anonymous):
                yield pid, fd


def _may_be(link: str, anonymous: bool) -> bool:
    if link.startswith(("socket:[", "pipe:[")):
        return False
    # Linux shows a pidfd as an anonymous inode too, though it has an inode of its own since 6.9.
    return link.startswith("anon_inode:") if anonymous else True
