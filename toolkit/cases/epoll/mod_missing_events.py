"""EPOLL_CTL_MOD to a condition that is true already must report it.

What it does        Registers a writable socket for EPOLLIN, then changes the mask to EPOLLOUT: nothing happens on
                    the socket itself between the two.
Why it bites        MOD is no mere change of a mask: the kernel asks the target for its state and queues the entry if
                    it is ready. An emulation that leaves that out loses the event for good, for a writable socket
                    stays writable and never changes; a connection that was made is never reported. And code written
                    against such an emulation does DEL and ADD, or a needless write, on every change.
What you will see   The wait after ADD is silent, the wait after MOD reports EPOLLOUT; level- and edge-triggered
                    alike, with the data word of the MOD, and for a waiter that is already asleep too.
References          epoll_ctl(2) EPOLL_CTL_MOD; fs/eventpoll.c ep_modify; unikraft/unikraft#1310;
                    brazilofmux/tinymux#942
"""

from toolkit.ffi.flags import EPOLLET, EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab


def modify(lab: Lab) -> None:
    """Level-triggered, edge-triggered, and with a waiter asleep."""
    for trigger in (EPOLLIN & 0, EPOLLET):
        epoll, (ours, _theirs) = lab.epoll(), lab.socketpair()
        lab.add(epoll, ours, EPOLLIN | trigger, data=1)
        before = lab.ready(epoll)
        lab.modify(epoll, ours, EPOLLOUT | trigger, data=2)
        lab.must(
            "epoll-mod-reports-what-is-true-already",
            expected=[[], [(2, EPOLLOUT)]],
            observed=[before, lab.ready(epoll)],
            reason="edge-triggered" if trigger else "level-triggered",
        )
    epoll, (ours, _theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN)
    waiter = lab.asleep(lab.wait, epoll, 2.0)
    lab.modify(epoll, ours, EPOLLIN | EPOLLOUT)
    lab.must("epoll-mod-while-blocked-wakes", expected=[(ours, EPOLLOUT)], observed=waiter.result())


CASE = Case(
    variants=(modify,),
    claims=(
        Claim(
            "epoll-mod-reports-what-is-true-already",
            "MOD to a mask whose condition holds already makes the next wait report it.",
            "epoll_ctl(2) EPOLL_CTL_MOD; fs/eventpoll.c ep_modify",
        ),
        Claim(
            "epoll-mod-while-blocked-wakes",
            "MOD to a mask whose condition holds wakes a thread that is blocked in epoll_wait.",
            "epoll_wait(2) NOTES; fs/eventpoll.c ep_modify",
        ),
    ),
)
