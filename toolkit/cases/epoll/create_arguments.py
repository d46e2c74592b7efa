"""What epoll_create takes, and what the descriptor is that it gives.

What it does        Calls epoll_create and epoll_create1 with good and bad arguments, and looks at the result.
Why it bites        The size of epoll_create has meant nothing since 2.6.8, but 0 is still EINVAL. epoll_create1
                    knows one flag; O_NONBLOCK, which every other such call takes, is refused. And without
                    EPOLL_CLOEXEC each program that is started inherits the instance with all that is registered in
                    it.
What you will see   EINVAL for sizes of 0 and less and for unknown flags; FD_CLOEXEC only when asked for; a
                    descriptor that can be polled and passed on, but neither read nor written.
References          epoll_create(2); LTP epoll_create01, epoll_create02, epoll_create1_01, epoll_create1_02
"""

import os

from toolkit.ffi.flags import EPOLL_CLOEXEC, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.fdinfo import kind_of

_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_MORE_THAN_ONE = 50


def create(lab: Lab) -> None:
    """Sizes, flags, and what the descriptor can do."""
    lab.must(
        "epoll-create-size-nonpositive-einval",
        expected=["EINVAL"] * 3,
        observed=[lab.outcome(Epoll.sized, size) for size in (0, -1, _INT_MIN)],
    )
    small = Epoll.sized(1)
    added = {lab.outcome(lab.add, small, lab.eventfd(), EPOLLIN) for _ in range(_MORE_THAN_ONE)}
    lab.must(
        "epoll-create-size-is-only-a-hint",
        expected=["ok", ["ok"], _MORE_THAN_ONE],
        observed=[lab.outcome(Epoll.sized, _INT_MAX), sorted(added), len(lab.interest_list(small))],
        reason=f"a size of INT_MAX; {_MORE_THAN_ONE} descriptors in an instance of size 1",
    )
    flags = (-1, EPOLL_CLOEXEC + 1, _INT_MIN, os.O_NONBLOCK)
    lab.must(
        "epoll-create1-bad-flags-einval",
        expected=["EINVAL"] * len(flags),
        observed=[lab.outcome(Epoll, flag) for flag in flags],
    )
    lab.must(
        "epoll-create1-cloexec-flag",
        expected={"EPOLL_CLOEXEC": True, "0": False, "epoll_create": False},
        observed={
            "EPOLL_CLOEXEC": lab.is_cloexec(lab.epoll(EPOLL_CLOEXEC)),
            "0": lab.is_cloexec(lab.epoll(0)),
            "epoll_create": lab.is_cloexec(small),
        },
    )
    epoll = lab.epoll()
    lab.must(
        "epoll-fd-read-write-einval",
        expected=["EINVAL", "EINVAL"],
        observed=[lab.outcome(lab.read, epoll, 8), lab.outcome(lab.write, epoll, b"12345678")],
    )
    access = lab.status_flags(epoll) & os.O_ACCMODE
    lab.must(
        "epoll-fd-is-anon-inode-rdwr",
        expected=["eventpoll", os.O_RDWR],
        observed=[kind_of(epoll.fileno()), access],
    )


CASE = Case(
    variants=(create,),
    claims=(
        Claim(
            "epoll-create-size-nonpositive-einval",
            "epoll_create with a size of 0 or less is EINVAL.",
            "epoll_create(2) EINVAL; LTP epoll_create02",
            since="2.6.8",
        ),
        Claim(
            "epoll-create-size-is-only-a-hint",
            "Any positive size gives an instance that takes as many descriptors as one likes.",
            "epoll_create(2) NOTES; LTP epoll_create01",
            since="2.6.8",
        ),
        Claim(
            "epoll-create1-bad-flags-einval",
            "epoll_create1 with any bit but EPOLL_CLOEXEC is EINVAL.",
            "epoll_create(2) EINVAL; LTP epoll_create1_02",
            since="2.6.27",
        ),
        Claim(
            "epoll-create1-cloexec-flag",
            "EPOLL_CLOEXEC sets FD_CLOEXEC; epoll_create1(0) and epoll_create leave it clear.",
            "epoll_create(2) EPOLL_CLOEXEC; LTP epoll_create1_01",
            since="2.6.27",
        ),
        Claim(
            "epoll-fd-read-write-einval",
            "read(2) and write(2) on an epoll descriptor are EINVAL.",
            "observed; fs/eventpoll.c eventpoll_fops",
        ),
        Claim(
            "epoll-fd-is-anon-inode-rdwr",
            "An epoll descriptor is anon_inode:[eventpoll], opened for reading and writing.",
            "proc_pid_fd(5); fs/eventpoll.c do_epoll_create",
        ),
    ),
)
