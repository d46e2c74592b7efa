"""The story of an epoll: an interest list in the kernel, and what it remembers (epoll(7))."""

from collections.abc import Iterator
from functools import partial

from toolkit.demos.step import Chapter, Step, tell
from toolkit.demos.workbench import outcome, workbench
from toolkit.ffi.flags import EPOLLET, EPOLLEXCLUSIVE, EPOLLIN, EPOLLONESHOT, EPOLLOUT, EpollEvents, spell
from toolkit.lab.epolls import SeenEvent
from toolkit.lab.lab import Lab

_WORD = 0xC0FFEE


def story() -> Iterator[Step]:
    """Tells it, each step when its calls are made."""
    with workbench() as lab:
        told = _Story(lab)
        try:
            yield from tell(told.chapters())
        finally:
            told.close()


class _Story:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._numbers: set[int] = set()

    def close(self) -> None:
        """Closes the pipes' ends that are still open."""
        for number in sorted(self._numbers):
            self._lab.close(number)

    def chapters(self) -> list[Chapter]:
        return [
            ("An interest list is made; it is a descriptor itself", self.create),
            ("A pipe's reader is added, with a 64-bit word that is yours", self.add),
            ("Level-triggered: as long as something is left, each wait says so", self.level),
            ("Edge-triggered: the same 5 bytes are told once, read or not", self.edge),
            ("One-shot: after one event the entry is disabled, until EPOLL_CTL_MOD", self.oneshot),
            ("One entry a number and file: a second ADD is refused", self.twice),
            ("A regular file cannot be waited on", self.regular_file),
            ("The writer leaves: EPOLLHUP, asked for or not", self.hang_up),
            ("The reader leaves: EPOLLERR at the writer", self.reader_gone),
            (
                "A number is closed while a duplicate lives: the entry stays, and cannot be deleted",
                self.stale,
            ),
            ("An entry in EPOLLEXCLUSIVE mode cannot be modified", self.exclusive),
            ("Epolls may watch epolls, but not in a circle, and not deeper than five", self.nesting),
        ]

    def _pipe(self) -> tuple[int, int]:
        reader, writer = self._lab.pipe()
        self._numbers |= {reader, writer}
        return reader, writer

    def _close(self, number: int) -> None:
        self._numbers.discard(self._lab.close(number))

    def create(self) -> str:
        self._epoll = self._lab.epoll()
        return (
            f"number {self._epoll.fileno()}; its list has {len(self._lab.interest_list(self._epoll))} entries"
        )

    def add(self) -> str:
        self._reader, self._writer = self._pipe()
        self._lab.add(self._epoll, self._reader, EPOLLIN, _WORD)
        before = self._lab.ready(self._epoll)
        self._lab.write(self._writer, b"hello")
        return f"before the write: {_shown(before)}; after it: {_shown(self._lab.ready(self._epoll))}"

    def level(self) -> str:
        counts = [self._lab.ready_count(self._epoll) for _ in range(2)]
        self._lab.read(self._reader, 5)
        counts.append(self._lab.ready_count(self._epoll))
        return f"events in two waits before the read and one after it: {counts}"

    def edge(self) -> str:
        self._lab.modify(self._epoll, self._reader, EPOLLIN | EPOLLET, _WORD)
        self._lab.write(self._writer, b"hello")
        first = self._lab.ready_count(self._epoll)
        self._lab.read(self._reader, 2)
        second = self._lab.ready_count(self._epoll)
        rest = self._lab.read(self._reader, 64)
        return f"events: {first}, then {second} though {len(rest)} bytes were left"

    def oneshot(self) -> str:
        self._lab.modify(self._epoll, self._reader, EPOLLIN | EPOLLONESHOT, _WORD)
        self._lab.write(self._writer, b"x")
        counts = [self._lab.ready_count(self._epoll), self._lab.ready_count(self._epoll)]
        self._lab.modify(self._epoll, self._reader, EPOLLIN | EPOLLONESHOT, _WORD)
        counts.append(self._lab.ready_count(self._epoll))
        self._lab.read(self._reader, 1)
        return f"events: {counts[0]}, then {counts[1]}; after the modification {counts[2]}"

    def twice(self) -> str:
        again = outcome(partial(self._lab.add, self._epoll, self._reader, EPOLLIN))
        duplicate = self._lab.dup(self._reader)
        self._numbers.add(duplicate)
        other = outcome(partial(self._lab.add, self._epoll, duplicate, EPOLLIN))
        self._lab.remove(self._epoll, duplicate)
        self._close(duplicate)
        return f"the same number: {again}; a duplicate of it is another entry: {_accepted(other)}"

    def regular_file(self) -> str:
        number = self._lab.file(b"always ready")
        self._numbers.add(number)
        refused = outcome(partial(self._lab.add, self._epoll, number, EPOLLIN))
        self._close(number)
        return f"{refused}: it is always ready; io_uring or a thread waits for its data"

    def hang_up(self) -> str:
        reader, writer = self._pipe()
        self._lab.add(self._epoll, reader, 0, 1)
        self._close(writer)
        seen = self._lab.ready(self._epoll)
        self._close(reader)
        return f"events asked for: none; got {_shown(seen)}"

    def reader_gone(self) -> str:
        reader, writer = self._pipe()
        self._lab.add(self._epoll, writer, EPOLLOUT, 2)
        self._close(reader)
        seen = self._lab.ready(self._epoll)
        self._close(writer)
        return f"got {_shown(seen)}"

    def stale(self) -> str:
        reader, writer = self._pipe()
        self._lab.add(self._epoll, reader, EPOLLIN, 0xDEAD)
        duplicate = self._lab.dup(reader)
        self._numbers.add(duplicate)
        self._close(reader)
        self._lab.write(writer, b"for the dead")
        seen = self._lab.ready(self._epoll)
        refused = outcome(partial(self._lab.remove, self._epoll, reader))
        self._close(duplicate)
        gone = self._lab.ready_count(self._epoll)
        self._close(writer)
        return (
            f"got {_shown(seen)}; deleting it says {refused}; with the last duplicate it goes: {gone} events"
        )

    def exclusive(self) -> str:
        reader, writer = self._pipe()
        self._lab.add(self._epoll, reader, EPOLLIN | EPOLLEXCLUSIVE)
        refused = outcome(partial(self._lab.modify, self._epoll, reader, EPOLLIN))
        for number in (reader, writer):
            self._close(number)
        return f"EPOLL_CTL_MOD says {refused}"

    def nesting(self) -> str:
        circle = outcome(partial(self._lab.add, self._epoll, self._epoll, EPOLLIN))
        chain = [self._epoll]
        answer = "None"
        while answer == "None" and len(chain) < 10:
            chain.append(self._lab.epoll())
            answer = outcome(partial(self._lab.add, chain[-1], chain[-2], EPOLLIN))
        for epoll in chain[1:]:
            epoll.close()
        return f"itself: {circle}; a chain of {len(chain)}: {answer}"


def _shown(seen: list[SeenEvent]) -> str:
    return ", ".join(f"{spell(bits, EpollEvents)} with {data:#x}" for data, bits in seen) or "nothing"


def _accepted(answer: str) -> str:
    return "accepted" if answer == "None" else answer
