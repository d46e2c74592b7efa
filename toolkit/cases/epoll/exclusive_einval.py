"""EPOLLEXCLUSIVE is refused with most other flags, and can never be changed.

What it does        Adds a descriptor with EPOLLEXCLUSIVE and each other flag in turn, then tries EPOLL_CTL_MOD.
Why it bites        EPOLLEXCLUSIVE is for ADD only, with EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLWAKEUP and
                    EPOLLET; with anything else, EINVAL. What surprises is the second half: an exclusive entry cannot
                    be modified at all. A server that pauses its listener by MOD works until somebody turns
                    EPOLLEXCLUSIVE on. Emulations, for their part, accept it all.
What you will see   naive: MOD says EINVAL, with any mask. right: DEL and ADD is the only way to change an exclusive
                    entry.
References          epoll_ctl(2) EPOLLEXCLUSIVE and EINVAL; pjsip/pjproject#2604; ZLMediaKit/ZLToolKit#226;
                    rcore-os/tgoskits#1018; microsoft/litebox#603
"""

from toolkit.ffi.flags import (
    EPOLLERR,
    EPOLLET,
    EPOLLEXCLUSIVE,
    EPOLLHUP,
    EPOLLIN,
    EPOLLONESHOT,
    EPOLLOUT,
    EPOLLPRI,
    EPOLLRDHUP,
    EPOLLRDNORM,
    EPOLLWAKEUP,
)
from toolkit.lab import Case, Claim, Lab

_REFUSED = (EPOLLPRI, EPOLLRDHUP, EPOLLONESHOT, EPOLLRDNORM)
_ACCEPTED = (EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLWAKEUP, EPOLLET)


def naive(lab: Lab) -> None:
    """Everything that is refused."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.must(
        "epollexclusive-bad-companions-einval",
        expected={flag.name: "EINVAL" for flag in _REFUSED},
        observed={
            flag.name: lab.outcome(lab.add, epoll, eventfd, EPOLLIN | EPOLLEXCLUSIVE | flag)
            for flag in _REFUSED
        },
    )
    inner = lab.epoll()
    lab.must(
        "epollexclusive-epoll-target-einval",
        expected="EINVAL",
        observed=lab.outcome(lab.add, epoll, inner, EPOLLIN | EPOLLEXCLUSIVE),
    )
    plain = lab.eventfd()
    lab.add(epoll, plain, EPOLLIN)
    lab.must(
        "epollexclusive-mod-einval",
        expected="EINVAL",
        observed=lab.outcome(lab.modify, epoll, plain, EPOLLIN | EPOLLEXCLUSIVE),
    )
    lab.add(epoll, eventfd, EPOLLIN | EPOLLEXCLUSIVE)
    masks = (0, EPOLLIN, EPOLLOUT, EPOLLIN | EPOLLET)
    lab.must(
        "epollexclusive-later-mod-einval",
        expected=["EINVAL"] * len(masks),
        observed=[lab.outcome(lab.modify, epoll, eventfd, mask) for mask in masks],
    )


def right(lab: Lab) -> None:
    """What is accepted, and how to change it."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    outcomes = {}
    for flag in _ACCEPTED:
        outcomes[flag.name] = lab.outcome(lab.add, epoll, eventfd, EPOLLIN | EPOLLEXCLUSIVE | flag)
        lab.outcome(lab.remove, epoll, eventfd)
    lab.must(
        "epollexclusive-ok-companions",
        expected={flag.name: "ok" for flag in _ACCEPTED},
        observed=outcomes,
    )
    lab.add(epoll, eventfd, EPOLLIN | EPOLLEXCLUSIVE)
    changed = [
        lab.outcome(lab.remove, epoll, eventfd),
        lab.outcome(lab.add, epoll, eventfd, EPOLLOUT | EPOLLEXCLUSIVE),
    ]
    lab.must(
        "epollexclusive-del-and-add-changes-the-mask",
        expected=["ok", "ok", [(eventfd.fileno(), EPOLLOUT)]],
        observed=[*changed, lab.ready(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epollexclusive-bad-companions-einval",
            "ADD with EPOLLEXCLUSIVE and EPOLLPRI, EPOLLRDHUP, EPOLLONESHOT or EPOLLRDNORM is EINVAL.",
            "epoll_ctl(2) EPOLLEXCLUSIVE",
            since="4.5",
        ),
        Claim(
            "epollexclusive-epoll-target-einval",
            "ADD of an epoll descriptor with EPOLLEXCLUSIVE is EINVAL.",
            "epoll_ctl(2) EINVAL",
            since="4.5",
        ),
        Claim(
            "epollexclusive-mod-einval",
            "MOD with EPOLLEXCLUSIVE in the mask is EINVAL, also for an ordinary entry.",
            "epoll_ctl(2) EINVAL",
            since="4.5",
        ),
        Claim(
            "epollexclusive-later-mod-einval",
            "An entry added with EPOLLEXCLUSIVE cannot be modified: EINVAL with any mask.",
            "epoll_ctl(2) EINVAL",
            since="4.5",
        ),
        Claim(
            "epollexclusive-ok-companions",
            "ADD with EPOLLEXCLUSIVE and EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLWAKEUP or EPOLLET "
            "succeeds.",
            "epoll_ctl(2) EPOLLEXCLUSIVE",
            since="4.5",
        ),
        Claim(
            "epollexclusive-del-and-add-changes-the-mask",
            "DEL and ADD give an exclusive entry another mask.",
            "epoll_ctl(2) EPOLLEXCLUSIVE",
            since="4.5",
        ),
    ),
)
