"""A descriptor that was closed keeps reporting, through a duplicate that nobody thinks of.

What it does        Registers the reading end of a pipe that has data, duplicates it, and closes the registered
                    number.
Why it bites        An entry is known by (number, open file description) and leaves the interest list only when the
                    description goes, that is with its last descriptor. close() of one of two changes nothing for
                    epoll, but it takes away the only number by which the entry could be removed.
What you will see   naive: every wait returns at once with an event for a number that is closed; EPOLL_CTL_DEL of
                    that number says EBADF and of the duplicate ENOENT, so the loop spins and cannot stop it. Only
                    dup2 of the duplicate back onto the old number, or closing the duplicate, ends it. right:
                    EPOLL_CTL_DEL first, close second: silence, whoever else holds the pipe.
References          epoll(7) Q7; idea.popcount.org "Epoll is fundamentally broken 2/2"; libuv/libuv#4323
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_LOOKS = 10


def naive(lab: Lab) -> None:
    """close() alone."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.write(writer, b"unread")
    lab.add(epoll, reader, EPOLLIN)
    duplicate = lab.dup(reader)
    closed = lab.close(reader)
    seen = [lab.told(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epoll-dup-keeps-registration-after-close",
        expected={"event for the closed number": _LOOKS},
        observed={"event for the closed number": seen.count([closed])},
    )
    lab.must(
        "epoll-orphan-cannot-be-deleted-by-number",
        expected=["EBADF", "ENOENT"],
        observed=[lab.outcome(lab.remove, epoll, fd) for fd in (closed, duplicate)],
    )
    lab.dup2(duplicate, closed)
    lab.must(
        "epoll-orphan-removable-after-dup2-back",
        expected=["ok", []],
        observed=[lab.outcome(lab.remove, epoll, closed), lab.told(epoll)],
    )
    lab.add(epoll, closed, EPOLLIN)
    lab.close(duplicate)
    before = [entry.tfd for entry in lab.interest_list(epoll)]
    lab.close(closed)
    lab.must(
        "epoll-close-last-ref-auto-removes",
        expected=[[closed], [], []],
        observed=[before, lab.interest_list(epoll), lab.told(epoll)],
    )


def right(lab: Lab) -> None:
    """EPOLL_CTL_DEL, then close()."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.write(writer, b"unread")
    lab.add(epoll, reader, EPOLLIN)
    lab.dup(reader)
    removed = lab.outcome(lab.remove, epoll, reader)
    lab.close(reader)
    lab.must(
        "epoll-del-before-close-leaves-nothing",
        expected=["ok", [], []],
        observed=[removed, lab.interest_list(epoll), lab.told(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-dup-keeps-registration-after-close",
            "After close() of a registered number whose open file has a duplicate, events keep coming with "
            "its data.",
            "epoll(7) Q7",
        ),
        Claim(
            "epoll-orphan-cannot-be-deleted-by-number",
            "Such an orphan cannot be removed: DEL of the closed number is EBADF, of the duplicate ENOENT.",
            "epoll(7) Q1, Q7",
        ),
        Claim(
            "epoll-orphan-removable-after-dup2-back",
            "dup2() of the duplicate back onto the number makes the pair known again, and DEL removes the "
            "orphan.",
            "epoll(7) Q1",
        ),
        Claim(
            "epoll-close-last-ref-auto-removes",
            "Closing the only descriptor of a registered file removes the entry, without an event or an "
            "error.",
            "epoll(7) Q7",
        ),
        Claim(
            "epoll-del-before-close-leaves-nothing",
            "EPOLL_CTL_DEL before close() ends the registration, however many duplicates there are.",
            "epoll(7) Q7",
        ),
    ),
)
