"""The story of an eventfd: a 64-bit counter in the kernel that can be waited on (eventfd(2))."""

from collections.abc import Iterator
from functools import partial

from toolkit.demos.step import Chapter, Step, tell
from toolkit.demos.workbench import outcome, workbench
from toolkit.ffi.flags import EFD_CLOEXEC, EFD_NONBLOCK, EFD_SEMAPHORE, EPOLLET, EPOLLIN, EPOLLOUT
from toolkit.lab import calls
from toolkit.lab.lab import Lab
from toolkit.lab.processes import Parent
from toolkit.primitives.eventfd import MAXIMUM, EventFd


def story() -> Iterator[Step]:
    """Tells it, each step when its calls are made."""
    with workbench() as lab:
        yield from tell(_Story(lab).chapters())


class _Story:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def chapters(self) -> list[Chapter]:
        return [
            ("A counter is made, starting at 2", self.create),
            ("Writing adds", self.add),
            ("Reading takes all of it and leaves 0", self.take),
            ("At 0 there is nothing to read: it waits, or says EAGAIN", self.empty),
            ("It holds 2^64-2 at most: then there is nothing to write either", self.full),
            ("2^64-1 is no value, and 8 bytes are the only size", self.sizes),
            ("EFD_SEMAPHORE: each read takes one", self.semaphore),
            ("A duplicate is another number for the same counter", self.duplicate),
            ("A child inherits it: its writes arrive here", self.child),
            ("In an epoll, edge-triggered: each write is an event, even when nobody reads", self.edges),
            ("Many writes, one read: it says that something happened, and how much in all", self.coalesce),
        ]

    def create(self) -> str:
        self._fd = self._lab.eventfd(2, EFD_CLOEXEC | EFD_NONBLOCK)
        return f"/proc tells the count without taking it: {self._fd.peek()}"

    def add(self) -> str:
        self._fd.write(3)
        return f"the count is {self._fd.peek()}"

    def take(self) -> str:
        return f"read {self._fd.read()}, the count is {self._fd.peek()}"

    def empty(self) -> str:
        ready = self._lab.poll(self._fd, EPOLLIN)
        return f"poll says {int(ready)} for readable, read says {outcome(self._fd.read)}"

    def full(self) -> str:
        self._fd.write(MAXIMUM)
        writable = self._lab.poll(self._fd, EPOLLOUT)
        refused = outcome(partial(self._fd.write, 1))
        taken = self._fd.read()
        return f"poll says {int(writable)} for writable, write says {refused}; the read took {taken}"

    def sizes(self) -> str:
        largest = outcome(partial(self._fd.write, 2**64 - 1))
        short = outcome(partial(calls.read, self._fd.fileno(), 4))
        return f"writing 2^64-1: {largest}; reading into 4 bytes: {short}"

    def semaphore(self) -> str:
        semaphore = self._lab.eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC)
        taken = [outcome(semaphore.read) for _ in range(3)]
        return f"three reads of 2: {', '.join(taken)}"

    def duplicate(self) -> str:
        again = EventFd.adopt(self._lab.dup(self._fd))
        with again:
            again.write(7)
            value = self._fd.read()
        return f"written through one number, read through the other: {value}"

    def child(self) -> str:
        def writes(_parent: Parent) -> None:
            self._fd.write(40)
            self._fd.write(2)

        status = self._lab.fork(writes).end()
        return f"the child ended with {status}, and the counter here gave {self._fd.read()}"

    def edges(self) -> str:
        epoll = self._lab.epoll()
        self._lab.add(epoll, self._fd, EPOLLIN | EPOLLET)
        counts = []
        for value in (1, 1):
            self._fd.write(value)
            counts.append(self._lab.ready_count(epoll))
        counts.append(self._lab.ready_count(epoll))
        return f"events after the first write, the second, and no write: {counts}"

    def coalesce(self) -> str:
        self._fd.read()
        for _ in range(3):
            self._fd.write(1)
        return f"three writes of 1, one read: {self._fd.read()}"
