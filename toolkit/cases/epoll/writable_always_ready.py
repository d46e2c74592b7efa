"""Watching for EPOLLOUT all the time: an idle socket is writable, and the loop never sleeps.

What it does        Registers an idle socket for EPOLLIN|EPOLLOUT, level-triggered; then fills its buffer and lets
                    the peer read little by little.
Why it bites        EPOLLOUT does not mean "somebody wants to write", it means "there is room", and there nearly
                    always is. Registered without need it is reported at every wait. Once the buffer was full,
                    though, one free byte is not enough: the kernel waits until a good part is free before it says
                    EPOLLOUT.
What you will see   naive: ten waits, ten times EPOLLOUT on an idle socket. right: EPOLLOUT only after send() said
                    EAGAIN, and out of the mask when all is sent: silence, then one report when the peer has read
                    enough.
References          epoll_ctl(2) EPOLLOUT; send(2) EAGAIN; net/unix/af_unix.c unix_writable; libuv/libuv#3671;
                    OpenAtomFoundation/pikiwidb#251; ovis-hpc/ldms#348
"""

from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab

_LOOKS = 10


def naive(lab: Lab) -> None:
    """In the mask from the start."""
    epoll, (ours, _theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLOUT)
    seen = [lab.ready(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epollout-idle-socket-is-always-reported",
        expected={"EPOLLOUT": _LOOKS},
        observed={"EPOLLOUT": seen.count([(ours, EPOLLOUT)])},
    )


def right(lab: Lab) -> None:
    """In the mask after EAGAIN, out of it afterwards."""
    epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
    lab.set_nonblocking(ours)
    lab.add(epoll, ours, EPOLLIN)
    idle = lab.ready(epoll)
    written = lab.fill(ours)
    lab.modify(epoll, ours, EPOLLIN | EPOLLOUT)
    full = lab.ready(epoll)
    freed = 0
    while freed < written and not lab.ready(epoll):
        freed += len(lab.recv_now(theirs, 1024))
    reported = lab.ready(epoll)
    lab.modify(epoll, ours, EPOLLIN)
    lab.must(
        "epollout-after-eagain-only",
        expected=[[], [], [(ours, EPOLLOUT)], []],
        observed=[idle, full, reported, lab.ready(epoll)],
        reason="idle; full; room again; out of the mask",
    )
    lab.must(
        "epollout-needs-more-than-one-free-byte",
        expected="more than the first 1024 bytes read",
        observed=freed,
        holds=1024 < freed <= written,
        reason=f"bytes that the peer read before EPOLLOUT, of {written}",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epollout-idle-socket-is-always-reported",
            "Level-triggered, EPOLLOUT of an idle socket is reported by every wait.",
            "epoll_ctl(2) EPOLLOUT",
        ),
        Claim(
            "epollout-after-eagain-only",
            "Asked for only after EAGAIN, EPOLLOUT comes when there is room again, and not before.",
            "epoll_ctl(2) EPOLLOUT; send(2) EAGAIN",
        ),
        Claim(
            "epollout-needs-more-than-one-free-byte",
            "A full socket is reported as writable only when a good part of its buffer is free.",
            "net/unix/af_unix.c unix_writable; observed",
        ),
    ),
)
