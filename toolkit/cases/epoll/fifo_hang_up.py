"""A FIFO that one writer has left hangs up for ever, until the next one comes.

What it does        Reads a FIFO as a log collector does: opened without blocking, registered, one writer after the
                    other.
Why it bites        Before the first writer there is no EPOLLHUP. When the last writer closes there is, at every
                    wait, and read() returns end of file; a loop that goes on watching, for the next writer, spins.
                    Closing and opening again loses what is written in between.
What you will see   naive: silence, data, then EPOLLHUP at ten waits of ten. right: the reader opens the FIFO for
                    reading and writing: it is a writer itself, so the last writer never leaves, and the wait is
                    silent.
References          fifo(7); pipe(7); poll(2) POLLHUP; wingo/fibers#19; MadcowOG/dwl-bar#11; fsnotify/fsnotify#395
"""

import os

from toolkit.ffi.flags import EPOLLHUP, EPOLLIN
from toolkit.lab import Case, Claim, Lab

_LOOKS = 10


def naive(lab: Lab) -> None:
    """O_RDONLY."""
    epoll, path = lab.epoll(), lab.fifo()
    reader = lab.open(path, os.O_RDONLY | os.O_NONBLOCK)
    lab.add(epoll, reader, EPOLLIN)
    before = lab.ready(epoll)
    writer = lab.open(path, os.O_WRONLY)
    lab.write(writer, b"line")
    data = [lab.ready(epoll), lab.read(reader)]
    lab.must(
        "epoll-fifo-no-hup-before-first-writer",
        expected=[[], [(reader, EPOLLIN)], b"line"],
        observed=[before, *data],
    )
    lab.close(writer)
    seen = [lab.ready(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epoll-fifo-hup-stays-after-last-writer",
        expected=[{"EPOLLHUP": _LOOKS}, b""],
        observed=[{"EPOLLHUP": seen.count([(reader, EPOLLHUP)])}, lab.read(reader)],
    )
    again = lab.open(path, os.O_WRONLY)
    lab.must(
        "epoll-fifo-hup-ends-with-next-writer",
        expected=[],
        observed=lab.ready(epoll),
        reason="a second writer has opened it",
    )
    lab.close(again)


def right(lab: Lab) -> None:
    """O_RDWR: one writer always stays."""
    epoll, path = lab.epoll(), lab.fifo()
    reader = lab.open(path, os.O_RDWR | os.O_NONBLOCK)
    lab.add(epoll, reader, EPOLLIN)
    looks = []
    for line in (b"first", b"second"):
        writer = lab.open(path, os.O_WRONLY)
        lab.write(writer, line)
        lab.close(writer)
        looks += [lab.ready(epoll), lab.read(reader), lab.ready(epoll)]
    lab.must(
        "epoll-fifo-opened-for-both-never-hangs-up",
        expected=[[(reader, EPOLLIN)], b"first", [], [(reader, EPOLLIN)], b"second", []],
        observed=looks,
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-fifo-no-hup-before-first-writer",
            "A FIFO that no writer has opened yet reports nothing; then data, without EPOLLHUP.",
            "fs/pipe.c pipe_poll; observed",
        ),
        Claim(
            "epoll-fifo-hup-stays-after-last-writer",
            "After the last writer closed, a FIFO's reader reports EPOLLHUP on every wait.",
            "poll(2) POLLHUP",
        ),
        Claim(
            "epoll-fifo-hup-ends-with-next-writer",
            "The next writer's open ends the EPOLLHUP.",
            "fs/pipe.c pipe_poll; observed",
        ),
        Claim(
            "epoll-fifo-opened-for-both-never-hangs-up",
            "A reader that opened the FIFO for reading and writing never sees EPOLLHUP or end of file.",
            "fifo(7)",
        ),
    ),
)
