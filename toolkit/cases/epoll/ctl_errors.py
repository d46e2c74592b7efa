"""Every way in which epoll_ctl says no, and in which order it looks.

What it does        Calls epoll_ctl with bad descriptors, on entries that are there or not, with unknown operations,
                    bad event pointers, every mask of the usual bits, and bits that mean nothing.
Why it bites        epoll has no POLLNVAL: a closed descriptor is an error at registration, never an event. A wrong
                    operation for the state (ADD of what is there, MOD of what is not) is an error of its own, and
                    changes nothing. Bits that the kernel does not know are accepted without a word, so a misspelt
                    mask fails silently.
What you will see   EBADF, EEXIST, ENOENT, EINVAL, EFAULT, each for its reason; EFAULT before EBADF, since the event
                    is copied first; DEL does not look at the event at all.
References          epoll_ctl(2) ERRORS, BUGS; epoll(7) Q2; LTP epoll_ctl01, epoll_ctl02, epoll_ctl03
"""

from itertools import combinations

from toolkit.ffi import raw
from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import (
    EPOLL_CTL_ADD,
    EPOLL_CTL_DEL,
    EPOLL_CTL_MOD,
    EPOLL_URING_WAKE,
    EPOLLERR,
    EPOLLET,
    EPOLLHUP,
    EPOLLIN,
    EPOLLNVAL,
    EPOLLONESHOT,
    EPOLLOUT,
    EPOLLPRI,
    EPOLLRDHUP,
)
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll

_BITS = (EPOLLIN, EPOLLOUT, EPOLLPRI, EPOLLERR, EPOLLHUP, EPOLLRDHUP, EPOLLET, EPOLLONESHOT)
_MEANS_NOTHING = 0x00800000
_INT_MIN = -(2**31)


def control(lab: Lab) -> None:
    """States, descriptors, pointers, masks."""
    _descriptors(lab)
    _states(lab)
    _pointers(lab)
    _masks(lab)


def _descriptors(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd()
    closed = lab.close(lab.dup(eventfd))
    outcomes = [_raw_ctl(epfd, EPOLL_CTL_ADD, eventfd.fileno()) for epfd in (-1, closed)]
    lab.must("epoll-ctl-epfd-bad-ebadf", expected=["EBADF", "EBADF"], observed=outcomes)
    calls = (lab.add, lab.modify)
    lab.must(
        "epoll-ctl-fd-bad-ebadf",
        expected=["EBADF"] * 6,
        observed=[
            *(lab.outcome(call, epoll, fd, EPOLLIN) for call in calls for fd in (-1, closed)),
            *(lab.outcome(lab.remove, epoll, fd) for fd in (-1, closed)),
        ],
        reason="ADD, MOD and DEL of -1 and of a closed number",
    )
    not_epoll = Epoll.adopt(lab.dup(eventfd))
    lab.must(
        "epoll-ctl-epfd-not-epoll-einval",
        expected="EINVAL",
        observed=lab.outcome(lab.add, not_epoll, lab.eventfd(), EPOLLIN),
    )


def _states(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd(initial=1)
    lab.must(
        "epoll-mod-unregistered-enoent",
        expected="ENOENT",
        observed=lab.outcome(lab.modify, epoll, eventfd, EPOLLIN),
    )
    never = lab.outcome(lab.remove, epoll, eventfd)
    lab.add(epoll, eventfd, EPOLLIN, data=1)
    twice = lab.outcome(lab.add, epoll, eventfd, EPOLLOUT, data=2)
    lab.must(
        "epoll-add-twice-eexist",
        expected=["EEXIST", [(1, EPOLLIN)]],
        observed=[twice, lab.ready(epoll)],
        reason="the second ADD; what the entry reports afterwards",
    )
    removed = [lab.outcome(lab.remove, epoll, eventfd) for _ in range(2)]
    lab.must("epoll-del-unregistered-enoent", expected=["ENOENT", "ok", "ENOENT"], observed=[never, *removed])
    lab.must(
        "epoll-ctl-unknown-op-einval",
        expected=["EINVAL"] * 4,
        observed=[_raw_ctl(epoll.fileno(), op, eventfd.fileno()) for op in (0, 4, -1, _INT_MIN)],
    )


def _raw_ctl(epfd: int, op: int, fd: int) -> str:
    with raw.Region() as region:
        result, error = raw.epoll_ctl(epfd, op, fd, region.address)
    return "ok" if result == 0 else errno_name(error)


def _pointers(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd()
    numbers = epoll.fileno(), eventfd.fileno()

    def error_of(epfd: int, op: int, fd: int, event: int) -> str:
        result, error = raw.epoll_ctl(epfd, op, fd, event)
        return "ok" if result == 0 else errno_name(error)

    with raw.Region() as region:
        unmapped = region.end
        lab.must(
            "epoll-ctl-null-event-efault",
            expected=["EFAULT"] * 4,
            observed=[
                error_of(numbers[0], op, numbers[1], event)
                for op in (EPOLL_CTL_ADD, EPOLL_CTL_MOD)
                for event in (raw.NULL, unmapped)
            ],
        )
        lab.must(
            "epoll-ctl-efault-precedes-ebadf",
            expected="EFAULT",
            observed=error_of(-1, EPOLL_CTL_ADD, -1, raw.NULL),
        )
        outcomes = []
        for event in (raw.NULL, unmapped):
            lab.add(epoll, eventfd, EPOLLIN)
            outcomes.append(error_of(numbers[0], EPOLL_CTL_DEL, numbers[1], event))
    lab.must("epoll-del-null-event-ok", expected=["ok", "ok"], observed=outcomes)
    lab.skip("epoll-ctl-del-nonnull-needed-before-2-6-9", "only a kernel before 2.6.9 wants an event for DEL")


def _masks(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, 0)
    masks = [sum(bits) for size in range(len(_BITS) + 1) for bits in combinations(_BITS, size)]
    outcomes = [lab.outcome(lab.modify, epoll, eventfd, mask) for mask in masks]
    lab.must(
        "epoll-mod-all-256-event-masks-ok",
        expected={"masks": 256, "ok": 256},
        observed={"masks": len(set(masks)), "ok": outcomes.count("ok")},
    )
    lab.remove(epoll, eventfd)
    ready = lab.eventfd(initial=1)
    added = lab.outcome(lab.add, epoll, ready, EPOLLIN | _MEANS_NOTHING)
    lab.must(
        "epoll-unknown-event-bits-accepted",
        expected=["ok", [(ready.fileno(), EPOLLIN)]],
        observed=[added, lab.ready(epoll)],
    )
    changed = lab.outcome(lab.modify, epoll, ready, EPOLLIN | EPOLL_URING_WAKE | EPOLLNVAL)
    lab.must(
        "epoll-kernel-only-bits-accepted-never-reported",
        expected=["ok", [(ready.fileno(), EPOLLIN)]],
        observed=[changed, lab.ready(epoll)],
        reason="EPOLL_URING_WAKE and EPOLLNVAL in the mask",
    )


CASE = Case(
    variants=(control,),
    claims=(
        Claim(
            "epoll-ctl-epfd-bad-ebadf",
            "epoll_ctl on an epfd that is not open is EBADF.",
            "epoll_ctl(2) EBADF; LTP epoll_ctl02",
        ),
        Claim(
            "epoll-ctl-fd-bad-ebadf",
            "ADD, MOD and DEL of a number that is not open are EBADF.",
            "epoll_ctl(2) EBADF; LTP epoll_ctl02",
        ),
        Claim(
            "epoll-ctl-epfd-not-epoll-einval",
            "epoll_ctl on a descriptor that is no epoll is EINVAL.",
            "epoll_ctl(2) EINVAL; LTP epoll_ctl02",
        ),
        Claim(
            "epoll-mod-unregistered-enoent",
            "MOD of a descriptor that is not registered is ENOENT.",
            "epoll_ctl(2) ENOENT; LTP epoll_ctl02",
        ),
        Claim(
            "epoll-add-twice-eexist",
            "A second ADD of one descriptor is EEXIST, and the first registration stays as it was.",
            "epoll(7) Q2; epoll_ctl(2) EEXIST",
        ),
        Claim(
            "epoll-del-unregistered-enoent",
            "DEL of a descriptor that is not registered, or no longer, is ENOENT.",
            "epoll_ctl(2) ENOENT; LTP epoll_ctl02",
        ),
        Claim(
            "epoll-ctl-unknown-op-einval",
            "An operation other than ADD, MOD and DEL is EINVAL.",
            "epoll_ctl(2) EINVAL; LTP epoll_ctl02",
        ),
        Claim(
            "epoll-ctl-null-event-efault",
            "ADD and MOD with a NULL or unmapped event are EFAULT, which epoll_ctl(2) does not list.",
            "LTP epoll_ctl02; fs/eventpoll.c epoll_ctl",
        ),
        Claim(
            "epoll-ctl-efault-precedes-ebadf",
            "The event is copied before descriptors are looked at: with both bad, EFAULT.",
            "observed; fs/eventpoll.c epoll_ctl",
        ),
        Claim(
            "epoll-del-null-event-ok",
            "DEL does not look at the event: NULL or an unmapped address will do.",
            "epoll_ctl(2) BUGS",
            since="2.6.9",
        ),
        Claim(
            "epoll-ctl-del-nonnull-needed-before-2-6-9",
            "Before 2.6.9 DEL needed a non-NULL event, though it was ignored.",
            "epoll_ctl(2) BUGS",
        ),
        Claim(
            "epoll-mod-all-256-event-masks-ok",
            "MOD takes every combination of IN, OUT, PRI, ERR, HUP, RDHUP, ET and ONESHOT, 0 included.",
            "LTP epoll_ctl03",
        ),
        Claim(
            "epoll-unknown-event-bits-accepted",
            "A bit that means nothing is accepted by ADD, and never reported.",
            "observed; fs/eventpoll.c do_epoll_ctl",
        ),
        Claim(
            "epoll-kernel-only-bits-accepted-never-reported",
            "EPOLL_URING_WAKE and EPOLLNVAL, which the kernel keeps for itself, are accepted and not "
            "reported.",
            "include/uapi/linux/eventpoll.h; observed",
        ),
    ),
)
