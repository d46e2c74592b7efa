"""EPOLLIN is a hint about the past: a blocking read after it can block.

What it does        Takes the event for a descriptor that two readers share; the other one reads first.
Why it bites        Between the wait and the read somebody else may take the data: another thread, another process
                    that inherited the socket, the kernel that drops a datagram with a bad checksum. The read of a
                    blocking descriptor then sleeps, and with it the whole loop and every connection in it.
What you will see   naive: the reader, told EPOLLIN, sleeps in read(2) until more data comes. right: O_NONBLOCK:
                    EAGAIN, and the loop goes on.
References          select(2) BUGS; epoll(7) "Example for suggested usage"; accept(2) NOTES; ofiwg/libfabric#6493;
                    project-chip/connectedhomeip#8400
"""

import os

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab


def _told_and_robbed(lab: Lab, flags: int) -> tuple[int, int]:
    """A pipe for which EPOLLIN was reported, and whose data somebody else has taken since."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe(os.O_CLOEXEC | flags)
    lab.add(epoll, reader, EPOLLIN)
    lab.write(writer, b"for the first")
    told = lab.told(epoll)
    somebody_else = lab.dup(reader)
    lab.must(
        "epoll-readiness-is-told-not-reserved",
        expected=[[reader], b"for the first"],
        observed=[told, lab.read(somebody_else)],
    )
    return reader, writer


def naive(lab: Lab) -> None:
    """A blocking read."""
    reader, writer = _told_and_robbed(lab, 0)
    reading = lab.asleep(lab.read, reader)
    asleep = not reading.done
    lab.write(writer, b"much later")
    lab.must(
        "epoll-blocking-read-after-event-can-block",
        expected=[True, b"much later"],
        observed=[asleep, reading.result()],
        reason="asleep in read(2); what it got in the end",
    )


def right(lab: Lab) -> None:
    """A non-blocking one."""
    reader, _writer = _told_and_robbed(lab, os.O_NONBLOCK)
    lab.must(
        "epoll-nonblocking-read-after-event-eagain",
        expected="EAGAIN",
        observed=lab.attempt(lab.read, reader),
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-readiness-is-told-not-reserved",
            "An event reserves nothing: another reader of the file may take the data.",
            "select(2) BUGS; epoll(7)",
        ),
        Claim(
            "epoll-blocking-read-after-event-can-block",
            "A blocking read after EPOLLIN sleeps when the data was taken meanwhile.",
            "select(2) BUGS",
        ),
        Claim(
            "epoll-nonblocking-read-after-event-eagain",
            "A non-blocking read in that place is EAGAIN.",
            "read(2) EAGAIN",
        ),
    ),
)
