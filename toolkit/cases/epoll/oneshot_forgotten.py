"""EPOLLONESHOT and no re-arm: the connection is dead, and not even its end is reported.

What it does        Registers a socket with EPOLLONESHOT, takes one event, and does not re-arm; then more data comes,
                    and then the peer closes.
Why it bites        After its one event the entry stays registered with an empty mask, the implied EPOLLHUP and
                    EPOLLERR included. Forget the EPOLL_CTL_MOD on one path of a handler and that connection hangs
                    for ever, silently, holding its memory and its descriptor. ADD does not help: the entry is there,
                    so EEXIST.
What you will see   naive: no event for the second message and none for the peer's close; fdinfo shows the mask
                    0x40000000. right: MOD after each event; what happened meanwhile is reported at once.
References          epoll_ctl(2) EPOLLONESHOT; pjsip/pjproject#3018, #2747 and #3121
"""

from toolkit.ffi.flags import EPOLLHUP, EPOLLIN, EPOLLONESHOT, EpollEvents
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """One event, and no re-arm."""
    epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLONESHOT)
    lab.send(theirs, b"first")
    first = lab.told(epoll)
    lab.send(theirs, b"second")
    lab.must(
        "epolloneshot-disables-after-one",
        expected=[[ours], [], [EPOLLONESHOT]],
        observed=[first, lab.told(epoll), [EpollEvents(entry.events) for entry in lab.interest_list(epoll)]],
        reason="first message, second message, the mask in fdinfo",
    )
    lab.close(theirs)
    lab.must(
        "epolloneshot-disabled-hides-hup",
        expected=[[], True],
        observed=[lab.ready(epoll), bool(lab.poll(ours) & EPOLLHUP)],
        reason="what epoll reports; whether poll(2) sees the hang-up",
    )
    lab.must(
        "epolloneshot-add-after-fire-eexist",
        expected="EEXIST",
        observed=lab.outcome(lab.add, epoll, ours, EPOLLIN | EPOLLONESHOT),
    )


def right(lab: Lab) -> None:
    """MOD after each event."""
    epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLONESHOT)
    lab.send(theirs, b"first")
    first = lab.told(epoll)
    lab.send(theirs, b"second")
    lab.close(theirs)
    lab.modify(epoll, ours, EPOLLIN | EPOLLONESHOT)
    lab.must(
        "epolloneshot-mod-rearms-and-fires-if-ready",
        expected=[[ours], [(ours, EPOLLIN | EPOLLHUP)], []],
        observed=[first, lab.ready(epoll), lab.ready(epoll)],
        reason="first message; after MOD; once only",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epolloneshot-disables-after-one",
            "EPOLLONESHOT: after one event nothing more is reported, and fdinfo shows an empty mask but "
            "for the flag.",
            "epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
        Claim(
            "epolloneshot-disabled-hides-hup",
            "A EPOLLONESHOT entry that has fired does not report EPOLLHUP or EPOLLERR either.",
            "epoll_ctl(2) EPOLLONESHOT; fs/eventpoll.c EP_PRIVATE_BITS",
            since="2.6.2",
        ),
        Claim(
            "epolloneshot-add-after-fire-eexist",
            "ADD of a fired EPOLLONESHOT entry is EEXIST: it is disabled, not removed.",
            "epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
        Claim(
            "epolloneshot-mod-rearms-and-fires-if-ready",
            "MOD re-arms a fired EPOLLONESHOT entry, and reports at once what is ready by then.",
            "epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
    ),
)
