"""A child's end as an ordinary event: its pidfd becomes readable.

What it does        Registers the pidfd of a child, lets the child end, waits, and reaps it.
Why it bites        SIGCHLD is one bit for all children and belongs to the whole process; libraries fight over its
                    handler. A pidfd is a descriptor of one child, for one owner. It is readable from the child's end
                    on, and stays so, so the entry must be removed when the child was reaped.
What you will see   Nothing while the child lives, EPOLLIN when it ended, before and after it is waited for; after
                    that, on newer kernels, EPOLLHUP as well.
References          pidfd_open(2) NOTES
"""

import os

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent


def child_exit(lab: Lab) -> None:
    """Alive, a zombie, gone."""

    def live(parent: Parent) -> None:
        parent.report()
        parent.wait()

    epoll, child = lab.epoll(), lab.fork(live)
    child.expect()
    pidfd = lab.pidfd(child.pid)
    lab.add(epoll, pidfd, EPOLLIN)
    alive = lab.ready(epoll)
    child.proceed()
    ended = lab.wait(epoll, within=5.0)
    still_there = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    lab.must(
        "epoll-pidfd-in-on-exit",
        expected=[[], [(pidfd, EPOLLIN)], True],
        observed=[alive, ended, still_there],
        reason="the child alive; ended; whether it is still to be waited for",
    )
    child.end()
    lab.record("epoll-pidfd-after-reap", [mask for _, mask in lab.ready(epoll)])


CASE = Case(
    variants=(child_exit,),
    claims=(
        Claim(
            "epoll-pidfd-in-on-exit",
            "A pidfd reports EPOLLIN when its process has ended, before it is waited for.",
            "pidfd_open(2) NOTES",
            since="5.3",
        ),
        Claim(
            "epoll-pidfd-after-reap",
            "What a pidfd reports once its process was waited for: EPOLLIN, with EPOLLHUP on newer kernels.",
            "observed; fs/pidfs.c pidfd_poll",
        ),
    ),
    needs=("pidfd_poll",),
)
