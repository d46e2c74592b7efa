"""EPOLLONESHOT covers both directions: an event for reading disarms the one for writing.

What it does        Registers a socket with a full send buffer for EPOLLIN|EPOLLOUT|EPOLLONESHOT. The peer sends a
                    byte, and only then reads what it was sent.
Why it bites        One entry, one shot. Where kqueue has a filter a direction, epoll disables the whole entry with
                    its first event, so a coroutine that waits to write is never resumed after another one's read
                    fired.
What you will see   naive: EPOLLIN comes, then the socket becomes writable and nobody is told. right: the event is
                    taken for the whole entry, and MOD re-arms what is still wanted; or a dup of the socket,
                    registered on its own, gives each direction its own shot.
References          epoll_ctl(2) EPOLLONESHOT; kaappi/kaappi#1481; oven-sh/bun#23988
"""

from toolkit.ffi.flags import EPOLLIN, EPOLLONESHOT, EPOLLOUT
from toolkit.lab import Case, Claim, Lab


def _full_socket(lab: Lab) -> tuple[int, int]:
    ours, theirs = lab.socketpair()
    lab.set_nonblocking(ours)
    lab.set_nonblocking(theirs)
    lab.fill(ours)
    return ours, theirs


def naive(lab: Lab) -> None:
    """The event for reading is taken as one of two."""
    epoll, (ours, theirs) = lab.epoll(), _full_socket(lab)
    lab.add(epoll, ours, EPOLLIN | EPOLLOUT | EPOLLONESHOT)
    lab.send(theirs, b"x")
    event = lab.ready(epoll)
    lab.drain(theirs)
    lab.must(
        "epolloneshot-read-event-disarms-writing",
        expected=[[(ours, EPOLLIN)], "EPOLLOUT", []],
        observed=[event, lab.poll(ours, EPOLLOUT), lab.ready(epoll)],
        reason="the byte; then poll(2) says writable; then what epoll reports",
    )


def right(lab: Lab) -> None:
    """Re-arm what is still wanted; or one entry a direction."""
    epoll, (ours, theirs) = lab.epoll(), _full_socket(lab)
    lab.add(epoll, ours, EPOLLIN | EPOLLOUT | EPOLLONESHOT)
    lab.send(theirs, b"x")
    lab.ready(epoll)
    lab.modify(epoll, ours, EPOLLOUT | EPOLLONESHOT)
    silent = lab.ready(epoll)
    lab.drain(theirs)
    lab.must(
        "epolloneshot-rearm-for-the-other-direction",
        expected=[[], [(ours, EPOLLOUT)]],
        observed=[silent, lab.ready(epoll)],
    )
    epoll, (ours, theirs) = lab.epoll(), _full_socket(lab)
    writing = lab.dup(ours)
    lab.add(epoll, ours, EPOLLIN | EPOLLONESHOT)
    lab.add(epoll, writing, EPOLLOUT | EPOLLONESHOT)
    lab.send(theirs, b"x")
    first = lab.ready(epoll)
    lab.drain(theirs)
    lab.must(
        "epolloneshot-dup-has-its-own-shot",
        expected=[[(ours, EPOLLIN)], [(writing, EPOLLOUT)]],
        observed=[first, lab.ready(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epolloneshot-read-event-disarms-writing",
            "EPOLLONESHOT disables the whole entry: after EPOLLIN fired, EPOLLOUT is not reported.",
            "epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
        Claim(
            "epolloneshot-rearm-for-the-other-direction",
            "Re-armed by MOD for the direction that is still wanted, the entry reports it.",
            "epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
        Claim(
            "epolloneshot-dup-has-its-own-shot",
            "A dup of the socket is an entry of its own, with its own shot.",
            "epoll(7) Q2; epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
    ),
)
