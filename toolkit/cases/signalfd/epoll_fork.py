"""After fork a signalfd in an epoll listens for the parent's signals only.

What it does        Registers a signalfd, forks, and lets the child send itself the signal.
Why it bites        A daemon that sets up its loop and then forks into the background never sees SIGTERM again: read
                    and poll on the signalfd work, but the epoll was told to listen to the process that called
                    EPOLL_CTL_ADD. Worse, a wait in the child drops the parent's own event from the ready list.
What you will see   naive: the child's wait stays empty though its poll says readable; MOD reports once and no more.
                    right: the child makes a new epoll and a new signalfd, and both work.
References          signalfd(2) epoll(7) semantics; capnproto/capnproto#1511; libevent/libevent#1342
"""

import signal

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent

_NUMBER = signal.SIGUSR1


def naive(lab: Lab) -> None:
    """The inherited pair."""
    lab.block(_NUMBER)
    epoll, fd = lab.epoll(), lab.signalfd(_NUMBER)
    lab.add(epoll, fd, EPOLLIN)

    def in_the_child(parent: Parent) -> None:
        lab.send_signal(_NUMBER)
        first = [lab.ready_count(epoll), lab.poll(fd) == EPOLLIN, len(lab.records(fd))]
        lab.send_signal(_NUMBER)
        lab.modify(epoll, fd, EPOLLIN)
        modified = [lab.ready_count(epoll), len(lab.records(fd))]
        lab.ready(epoll)
        lab.send_signal(_NUMBER)
        parent.report([first, modified, lab.ready_count(epoll)])

    first, modified, later = lab.fork(in_the_child).expect()
    lab.must(
        "signalfd-epoll-fork-child-not-notified",
        expected=[0, True, 1],
        observed=first,
        reason="epoll_wait, poll, and records read in the child",
    )
    lab.must(
        "signalfd-epoll-fork-mod-does-not-rebind",
        expected=[[1, 1], 0],
        observed=[modified, later],
        reason="events and records after EPOLL_CTL_MOD, and events of the next signal",
    )
    _stolen(lab)


def _stolen(lab: Lab) -> None:
    epoll, fd = lab.epoll(), lab.signalfd(_NUMBER)
    lab.add(epoll, fd, EPOLLIN)
    lab.send_signal(_NUMBER)
    child = lab.fork(lambda parent: parent.report(lab.ready_count(epoll)))
    lab.must(
        "signalfd-epoll-foreign-wait-steals-event",
        expected=[0, 0, EPOLLIN],
        observed=[child.expect(), lab.ready_count(epoll), lab.poll(fd)],
        reason="wait in the child, wait in the parent after it, poll in the parent",
    )


def right(lab: Lab) -> None:
    """A new pair in the child."""
    lab.block(_NUMBER)
    epoll, fd = lab.epoll(), lab.signalfd(_NUMBER)
    lab.add(epoll, fd, EPOLLIN)

    def in_the_child(parent: Parent) -> None:
        lab.close(epoll)
        lab.close(fd)
        mine, signals = lab.epoll(), lab.signalfd(_NUMBER)
        lab.add(mine, signals, EPOLLIN)
        lab.send_signal(_NUMBER)
        parent.report([lab.ready_count(mine), len(lab.records(signals))])

    lab.must("signalfd-epoll-fork-readd-fixes", expected=[1, 1], observed=lab.fork(in_the_child).expect())


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-epoll-fork-child-not-notified",
            "In a forked child, an inherited epoll does not report the child's signals; poll and read do.",
            "signalfd(2) epoll(7) semantics",
        ),
        Claim(
            "signalfd-epoll-fork-mod-does-not-rebind",
            "EPOLL_CTL_MOD in the child reports what is pending now, but no later signal.",
            "observed; fs/signalfd.c signalfd_poll",
        ),
        Claim(
            "signalfd-epoll-foreign-wait-steals-event",
            "A wait by the child takes the parent's ready entry off the list without reporting it.",
            "observed; fs/eventpoll.c polls in the caller's context",
        ),
        Claim(
            "signalfd-epoll-fork-readd-fixes",
            "A new signalfd in a new epoll, made in the child, reports the child's signals.",
            "signalfd(2) epoll(7) semantics",
        ),
    ),
)
