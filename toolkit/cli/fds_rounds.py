"""One look of `evkit fds`, or one after another with `--watch`: what is asked, printed, and the exit status."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from toolkit.cli.output import Output
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit
from toolkit.inspect import EpollRecord, NotFoundError, Record, Survey, find_named, survey
from toolkit.inspect.processes import list_processes
from toolkit.inspect.text import finding_line, lines_of
from toolkit.inspect.tree import tree_lines

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


@dataclass(frozen=True)
class Question:
    """What the command line asks for."""

    pids: tuple[int, ...]
    name: str | None
    fd: int | None
    who_watches: int | None
    stale: bool
    tree: bool
    budget_s: float

    def look(self, pids: tuple[int, ...] | None) -> Survey:
        """Asks it of these processes, or of all with None."""
        return survey(
            pids, fd=self.fd, who_watches=self.who_watches, only_stale=self.stale, budget_s=self.budget_s
        )

    def processes(self) -> tuple[int, ...] | None:
        """Those it is about; None for all."""
        if self.name is not None:
            return tuple(find_named(self.name))
        return self.pids or None


class Rounds:
    """Prints survey after survey: results to `output`, notes to `complaints`, each note once."""

    def __init__(self, question: Question, output: Output, complaints: TextIO) -> None:
        self._question = question
        self._output = output
        self._complaints = complaints
        self._noted: set[str] = set()
        self._found = False

    def once(self) -> Exit:
        """Looks once. Status 1 when stale entries were asked for and found."""
        pids = self._question.processes()
        if pids == ():
            refuse(
                f"no process is named {self._question.name!r}; a part of the name does, or a glob such as 'ngin*'"
            )
        try:
            with _collector_off():
                self._print(self._question.look(pids))
        except NotFoundError as error:
            refuse(str(error))
        return self._status()

    def watch(self, every_ns: int, count: int | None, timeout_ns: int | None, ready: Readiness) -> Exit:
        """Looks every so often, until the processes end, `count` looks were taken or the time is up."""
        end_ns = None if timeout_ns is None else time.monotonic_ns() + timeout_ns
        self.once()
        ready.announce()
        looks = 1
        while count is None or looks < count:
            if end_ns is not None and time.monotonic_ns() + every_ns > end_ns:
                time.sleep(max(0, end_ns - time.monotonic_ns()) / 1e9)
                return self._status(Exit.TIMEOUT)
            time.sleep(every_ns / 1e9)
            if not self._again():
                break
            looks += 1
        return self._status()

    def _again(self) -> bool:
        """One more look; False when there is nothing left to look at."""
        pids = self._question.processes()
        if pids is not None:
            alive = set(list_processes())
            pids = tuple(pid for pid in pids if pid in alive)
            if not pids:
                self._note("the processes ended")
                return False
        try:
            with _collector_off():
                seen = self._question.look(pids)
                self._separate()
                self._print(seen)
        except NotFoundError as error:
            self._note(str(error))
            return False
        return True

    def _separate(self) -> None:
        if self._output.is_terminal:
            self._output.text(_CLEAR)
        else:
            self._output.text(time.strftime("--- %H:%M:%S"))

    def _print(self, seen: Survey) -> None:
        records = seen.records
        self._found = self._found or (self._question.stale and bool(records))
        if self._output.as_json:
            for record in records:
                self._output.result(record, "")
        else:
            for line in self._lines(records):
                self._output.text(line)
        if not records and not seen.notes and not self._question.stale:
            self._note("no epoll, eventfd or signalfd there")
        for note in seen.notes:
            self._note(note)

    def _lines(self, records: tuple[Record, ...]) -> list[str]:
        if self._question.stale:
            epolls = (record for record in records if isinstance(record, EpollRecord))
            return [finding_line(record, entry) for record in epolls for entry in record.entries]
        return list(tree_lines(records) if self._question.tree else lines_of(records))

    def _note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self._complaints.write(f"evkit fds: {text}\n")

    def _status(self, otherwise: Exit = Exit.OK) -> Exit:
        return Exit.DIFFERED if self._found else otherwise


@contextmanager
def _collector_off() -> Iterator[None]:
    """Records hold no cycles: with a hundred thousand of them the collector would take a quarter of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
