"""The parent closes a socket, a forked child still holds it, and the parent's loop spins.

What it does        Registers a writable socket for EPOLLOUT, forks, and closes the socket in the parent only.
Why it bites        fork() duplicates every descriptor, so the open file description lives on in a helper that never
                    heard of it, and with it the parent's registration. The event comes back on every wait, for a
                    number whose connection object is already freed, and EPOLL_CTL_DEL of that number is EBADF.
What you will see   naive: every one of ten waits reports the closed socket; the spinning ends when the child ends.
                    right: EPOLL_CTL_DEL before close(): nothing is reported while the child lives.
References          epoll(7) Q7; fork(2); joyent/libuv#1099 and #1100; manticoresoftware/manticoresearch#4057;
                    h2o/h2o#1427
"""

from toolkit.ffi.flags import EPOLLOUT
from toolkit.lab import Case, Claim, Lab, Parent

_LOOKS = 10


def _holder(parent: Parent) -> None:
    parent.report("holding every descriptor of the parent")
    parent.wait()


def naive(lab: Lab) -> None:
    """close() in the parent, without DEL."""
    epoll, (ours, _theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLOUT)
    child = lab.fork(_holder)
    child.expect()
    closed = lab.close(ours)
    seen = [lab.told(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epoll-fork-child-holds-registration",
        expected=[_LOOKS, "EBADF"],
        observed=[seen.count([closed]), lab.outcome(lab.remove, epoll, closed)],
        reason="events for the closed number, then DEL",
    )
    child.proceed()
    child.end()
    lab.must(
        "epoll-fork-child-exit-ends-registration",
        expected=[[], []],
        observed=[lab.told(epoll), lab.interest_list(epoll)],
    )


def right(lab: Lab) -> None:
    """DEL, then close()."""
    epoll, (ours, _theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLOUT)
    child = lab.fork(_holder)
    child.expect()
    removed = lab.outcome(lab.remove, epoll, ours)
    lab.close(ours)
    lab.must(
        "epoll-fork-del-before-close-is-silent",
        expected=["ok", [], []],
        observed=[removed, lab.told(epoll), lab.interest_list(epoll)],
    )
    child.proceed()
    child.end()


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-fork-child-holds-registration",
            "A registered socket that the parent closed keeps reporting while a forked child holds it.",
            "epoll(7) Q7",
        ),
        Claim(
            "epoll-fork-child-exit-ends-registration",
            "When the last process that holds the socket ends, the entry leaves the parent's interest list.",
            "epoll(7) Q7",
        ),
        Claim(
            "epoll-fork-del-before-close-is-silent",
            "EPOLL_CTL_DEL before close() ends the reports, though a child still holds the socket.",
            "epoll(7) Q7",
        ),
    ),
)
