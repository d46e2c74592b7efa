"""A registration with events = 0 still reports EPOLLHUP and EPOLLERR, for ever.

What it does        "Pauses" a descriptor by setting its mask to 0, as poll(2) users set fd = -1, and lets the other
                    side close.
Why it bites        The kernel adds EPOLLERR and EPOLLHUP to every mask. A mask of 0 mutes reading and writing, not
                    the hang-up, and the hang-up stays true: a level-triggered wait returns at once, every time, to a
                    loop that has decided not to look at that descriptor. One core at 100 %, with nothing wrong to be
                    seen.
What you will see   naive: ten waits, ten times EPOLLHUP, and in fdinfo the mask 0x18 that nobody asked for. right:
                    EPOLL_CTL_DEL is the pause; a later ADD reports what is there by then, data first.
References          epoll_ctl(2) EPOLLERR, EPOLLHUP; apple/cups#4605; h2o/h2o#603; redpanda-data/seastar#64;
                    tvheadend/tvheadend#2232
"""

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLIN
from toolkit.lab import Case, Claim, Lab

_LOOKS = 10


def naive(lab: Lab) -> None:
    """MOD to 0."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.write(writer, b"unread")
    lab.add(epoll, reader, EPOLLIN)
    unmuted = lab.interest_list(epoll)[0].events
    lab.modify(epoll, reader, 0)
    lab.must(
        "epoll-mask-zero-mutes-in-out",
        expected=["EPOLLIN", [], [reader]],
        observed=[lab.poll(reader), lab.ready(epoll), [entry.tfd for entry in lab.interest_list(epoll)]],
        reason="what poll(2) says of the pipe, what the wait says, what is registered",
    )
    lab.must(
        "epoll-err-hup-always-implied",
        expected=[EPOLLIN | EPOLLERR | EPOLLHUP, EPOLLERR | EPOLLHUP],
        observed=[type(EPOLLIN)(bits) for bits in (unmuted, lab.interest_list(epoll)[0].events)],
    )
    lab.close(writer)
    seen = [lab.ready(epoll) for _ in range(_LOOKS)]
    lab.must(
        "epoll-mask-zero-still-reports-hup",
        expected={"EPOLLHUP": _LOOKS},
        observed={"EPOLLHUP": seen.count([(reader, EPOLLHUP)])},
    )


def right(lab: Lab) -> None:
    """DEL to pause, ADD to go on."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.write(writer, b"unread")
    lab.add(epoll, reader, EPOLLIN)
    lab.remove(epoll, reader)
    lab.close(writer)
    paused = lab.ready(epoll)
    lab.add(epoll, reader, EPOLLIN)
    lab.must(
        "epoll-del-is-the-pause",
        expected=[[], [(reader, EPOLLIN | EPOLLHUP)]],
        observed=[paused, lab.ready(epoll)],
    )
    lab.modify(epoll, reader, 0)
    muted = lab.ready(epoll)
    lab.modify(epoll, reader, EPOLLIN)
    lab.must(
        "epoll-mod-from-zero-reports-what-is-there",
        expected=[[(reader, EPOLLHUP)], [(reader, EPOLLIN | EPOLLHUP)]],
        observed=[muted, lab.ready(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-mask-zero-mutes-in-out",
            "MOD to a mask of 0 stops EPOLLIN and EPOLLOUT and keeps the registration.",
            "epoll_ctl(2)",
        ),
        Claim(
            "epoll-err-hup-always-implied",
            "ADD and MOD add EPOLLERR and EPOLLHUP to the mask, as fdinfo shows.",
            "epoll_ctl(2) EPOLLERR, EPOLLHUP",
        ),
        Claim(
            "epoll-mask-zero-still-reports-hup",
            "A descriptor with mask 0 reports EPOLLHUP on every wait once the other side has closed.",
            "epoll_ctl(2) EPOLLHUP",
        ),
        Claim(
            "epoll-del-is-the-pause",
            "After EPOLL_CTL_DEL nothing is reported, a hang-up included; ADD reports data and hang-up "
            "together.",
            "epoll_ctl(2)",
        ),
        Claim(
            "epoll-mod-from-zero-reports-what-is-there",
            "MOD from mask 0 back to EPOLLIN with data pending reports it at once.",
            "epoll_ctl(2)",
        ),
    ),
)
