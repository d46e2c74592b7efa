"""A survey as a tree: processes, their descriptors, what each epoll watches, nested epolls opened in place."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from toolkit.inspect.records import EpollRecord, EventFdRecord, Record, State
from toolkit.inspect.text import (
    entry_line,
    epoll_line,
    eventfd_line,
    explanation,
    signalfd_line,
    thread_lines,
    title,
)

_Node = tuple[str, list["_Node"]]


def tree_lines(records: Iterable[Record]) -> Iterator[str]:
    """The records drawn as a tree for each process."""
    listed = list(records)
    epolls = {(record.pid, record.fd): record for record in listed if isinstance(record, EpollRecord)}
    for _, same in groupby(listed, key=lambda record: record.pid):
        group = list(same)
        yield title(group[0])
        yield from _draw([_node(record, epolls, ()) for record in group], "")


def _node(record: Record, epolls: dict[tuple[int, int], EpollRecord], above: tuple[int, ...]) -> _Node:
    if isinstance(record, EpollRecord):
        return epoll_line(record), list(_entries(record, epolls, (*above, record.fd)))
    if isinstance(record, EventFdRecord):
        return eventfd_line(record), []
    return signalfd_line(record), [(line, []) for line in thread_lines(record.threads)]


def _entries(
    record: EpollRecord, epolls: dict[tuple[int, int], EpollRecord], above: tuple[int, ...]
) -> Iterator[_Node]:
    for entry in record.entries:
        below: list[_Node] = []
        nested = epolls.get((entry.in_pid or record.pid, entry.target.fd or -1))
        # The kernel refuses loops (ELOOP), but a list may change while it is read.
        if entry.state is State.LIVE and nested is not None and nested.fd not in above:
            below = list(_entries(nested, epolls, (*above, nested.fd)))
        if entry.finding is not None:
            below.append((explanation(entry), []))
        yield entry_line(entry).strip(), below


def _draw(nodes: list[_Node], indent: str) -> Iterator[str]:
    for at, (text, below) in enumerate(nodes):
        last = at == len(nodes) - 1
        yield f"{indent}{'└─' if last else '├─'} {text}"
        yield from _draw(below, indent + ("   " if last else "│  "))
