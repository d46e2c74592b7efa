"""A survey's records as lines for people."""

from collections.abc import Iterable, Iterator

from toolkit.inspect.records import (
    DataHint,
    Entry,
    EpollRecord,
    EventFdRecord,
    Holder,
    Record,
    SignalFdRecord,
    State,
    ThreadMask,
    Watcher,
)

_ALWAYS = ("EPOLLERR", "EPOLLHUP")  # added by the kernel to every entry (epoll_ctl(2)): they say nothing
_HINTS = {
    DataHint.NUMBER: "the number",
    DataHint.NUMBER_LOW_HALF: "number below",
    DataHint.POINTER: "a pointer?",
    None: "",
}


def lines_of(records: Iterable[Record]) -> Iterator[str]:
    """The records, grouped by process."""
    shown = None
    for record in records:
        if record.pid != shown:
            yield title(record)
            shown = record.pid
        yield from record_lines(record)


def record_lines(record: Record) -> Iterator[str]:
    """One record, indented below its process."""
    if isinstance(record, EpollRecord):
        yield f"  {epoll_line(record)}"
        for entry in record.entries:
            yield "    " + entry_line(entry)
            if entry.finding is not None:
                yield "        " + explanation(entry)
    elif isinstance(record, EventFdRecord):
        yield f"  {eventfd_line(record)}"
    else:
        yield f"  {signalfd_line(record)}"
        yield from (f"    {line}" for line in thread_lines(record.threads))


def title(record: Record) -> str:
    """`nginx (4711)`, with the number the process has in its own pid namespace."""
    inner = "" if record.nspid is None else f", {record.nspid[-1]} in its pid namespace"
    return f"{record.process} ({record.pid}{inner})"


def epoll_line(record: EpollRecord) -> str:
    """`epoll 8: 3 entries, 1 stale; shared with 4712/8`."""
    text = f"epoll {record.fd}: {_number(len(record.entries), 'entry', 'entries')}"
    for state in (State.STALE, State.UNKNOWN):
        count = sum(entry.state is state for entry in record.entries)
        text += f", {count} {state.value}" if count else ""
    return text + _holders("shared with", record.shared_with)


def entry_line(entry: Entry) -> str:
    """State, method, events, data and target of one entry, in columns."""
    events = " ".join(name.removeprefix("EPOLL").lower() for name in entry.events if name not in _ALWAYS)
    reason = f" [{entry.reason}]" if entry.reason else ""
    owner = f" [number of process {entry.in_pid}]" if entry.state is State.LIVE and entry.in_pid else ""
    return (
        f"{entry.tfd:>6}  {entry.state.value:<7} {entry.method.value:<6}  {events:<12}  {entry.data:#x} "
        f"{_HINTS[entry.data_hint]:<12}  {entry.target.text}{owner}{reason}"
    )


def explanation(entry: Entry) -> str:
    """What happened to a stale entry, how to fix it and the case that shows it, on one line."""
    found = entry.finding
    if found is None:
        return ""
    return f"stale: {found.what}. Fix: {found.fix}. See: evkit case show {found.case}"


def finding_line(record: EpollRecord, entry: Entry) -> str:
    """An explanation that stands alone: whose entry it is comes first."""
    return f"{title(record)} epoll {record.fd} entry {entry.tfd} {explanation(entry)}"


def eventfd_line(record: EventFdRecord) -> str:
    """`eventfd 9: count 0, id 12; watched by epoll 8`."""
    text = f"eventfd {record.fd}: count {int(record.count)}"
    text += "" if record.id is None else f", id {record.id}"
    text += ", semaphore" if record.semaphore else ""
    return text + _watchers(record.pid, record.watched_by) + _holders("held by", record.held_by)


def signalfd_line(record: SignalFdRecord) -> str:
    """`signalfd 10: SIGINT SIGTERM, pending SIGTERM; watched by epoll 8`."""
    text = f"signalfd {record.fd}: {' '.join(record.mask) or 'no signal'}"
    text += f", pending {' '.join(record.pending)}" if record.pending else ""
    return text + _watchers(record.pid, record.watched_by)


def thread_lines(threads: tuple[ThreadMask, ...]) -> Iterator[str]:
    """The threads that leave signals unblocked or have some pending; one line when there is none of either."""
    told = [thread for thread in threads if thread.not_blocked or thread.pending]
    for thread in told:
        name = f"thread {thread.tid} ({thread.name})"
        if thread.not_blocked:
            signals = " ".join(thread.not_blocked)
            yield f"{name} does not block {signals}: may go to its handler or default action, not to the signalfd"
        if thread.pending:
            yield f"{name} alone has pending {' '.join(thread.pending)}"
    if threads and not told:
        yield f"blocked in {'its only thread' if len(threads) == 1 else f'all {len(threads)} threads'}"


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _holders(verb: str, holders: tuple[Holder, ...]) -> str:
    return f"; {verb} {', '.join(f'{holder.pid}/{holder.fd}' for holder in holders)}" if holders else ""


def _watchers(pid: int, watchers: tuple[Watcher, ...]) -> str:
    if not watchers:
        return "; watched by no epoll"
    named = [f"epoll {w.fd}" + ("" if w.pid == pid else f" of {w.pid}") for w in watchers]
    return f"; watched by {', '.join(named)}"
