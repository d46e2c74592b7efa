"""One number stands twice in an interest list, and only one of the two can be reached.

What it does        Closes a registered number whose file has a duplicate, opens another file, which gets the same
                    number, and adds that as well.
Why it bites        "Already registered" (EEXIST) is asked of the pair (number, open file description). The
                    newcomer's pair is new, so ADD succeeds, and /proc/PID/fdinfo shows two lines with the same tfd.
                    MOD and DEL go by the pair too: they reach the living entry, never the orphan, and the list only
                    grows.
What you will see   naive: after DEL of the number said "ok" the number is still in the list, and DEL again says
                    ENOENT. kcmp(2) can tell which line is whose: only its toff argument distinguishes them. right:
                    DEL before close(), and the number stands there once.
References          epoll(7) Q1; kcmp(2) KCMP_EPOLL_TFD; sysprog21/elfuse#78; microsoft/litebox#1264;
                    nanovms/nanos#1178
"""

from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """close() without DEL, then ADD of the number's next owner."""
    epoll, (reader, _writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN, data=0x01D)
    lab.dup(reader)
    lab.close(reader)
    newcomer, _peer = lab.socketpair()
    added = lab.outcome(lab.add, epoll, newcomer, EPOLLIN, data=0x2E3)
    entries = lab.interest_list(epoll)
    lab.must(
        "epoll-fd-number-reuse-two-entries",
        expected=["ok", [(newcomer, 0x01D), (newcomer, 0x2E3)]],
        observed=[added, sorted((entry.tfd, entry.data) for entry in entries)],
    )
    changed = lab.outcome(lab.modify, epoll, newcomer, EPOLLOUT, data=0x3E3)
    left = sorted(entry.data for entry in lab.interest_list(epoll))
    removed = lab.outcome(lab.remove, epoll, newcomer)
    lab.must(
        "epoll-double-tfd-ctl-reaches-only-the-living",
        expected=["ok", [0x01D, 0x3E3], "ok", [0x01D], "ENOENT"],
        observed=[
            changed,
            left,
            removed,
            [entry.data for entry in lab.interest_list(epoll)],
            lab.outcome(lab.remove, epoll, newcomer),
        ],
    )


def right(lab: Lab) -> None:
    """DEL first: the next owner of the number is alone in the list."""
    epoll, (reader, _writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN, data=0x01D)
    lab.dup(reader)
    lab.remove(epoll, reader)
    lab.close(reader)
    newcomer, _peer = lab.socketpair()
    lab.add(epoll, newcomer, EPOLLIN, data=0x2E3)
    lab.must(
        "epoll-del-before-close-number-once",
        expected=[(newcomer, 0x2E3)],
        observed=[(entry.tfd, entry.data) for entry in lab.interest_list(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-double-tfd-ctl-reaches-only-the-living",
            "With a number registered twice, MOD and DEL act on the entry of the number's present owner "
            "only.",
            "epoll(7) Q1",
        ),
        Claim(
            "epoll-del-before-close-number-once",
            "With EPOLL_CTL_DEL before close(), a reused number stands in the interest list once.",
            "epoll(7) Q7",
        ),
    ),
    also=("epoll-fd-number-reuse-two-entries",),
)
