"""Busy polling per epoll instance: what EPIOCSPARAMS takes, and from whom.

What it does        Reads and sets the busy-poll parameters of an instance with good and impossible values, with and
                    without CAP_NET_ADMIN.
Why it bites        Busy polling trades a processor for latency, and since Linux 6.9 it can be asked for one instance
                    instead of the machine. A budget above the kernel's NAPI weight is for administrators only; what
                    works in a test as root is EPERM in production. For sockets without a device that can be polled
                    (loopback, AF_UNIX) it changes nothing.
What you will see   All zero at first; good values come back; EINVAL for prefer_busy_poll 2, for a time above INT_MAX
                    and for a non-zero pad; EPERM for a budget of 65 without CAP_NET_ADMIN; and events as ever.
References          ioctl_eventpoll(2); fs/eventpoll.c ep_eventpoll_bp_ioctl
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.machine import become_nobody

_NAPI_WEIGHT = 64
_GOOD = (200, _NAPI_WEIGHT, 1)


def busy_poll(lab: Lab) -> None:
    """Good values, bad values, somebody without rights."""
    epoll = lab.epoll()
    fresh = epoll.busy_poll()
    set_good = lab.outcome(epoll.set_busy_poll, *_GOOD)
    lab.must(
        "epoll-busy-poll-ioctls",
        expected=[(0, 0, 0), "ok", _GOOD],
        observed=[fresh, set_good, epoll.busy_poll()],
        reason="(usecs, budget, prefer): at first; set; read back",
    )
    bad = {
        "prefer 2": (200, 8, 2, 0),
        "usecs above INT_MAX": (2**31, 8, 0, 0),
        "pad not zero": (200, 8, 0, 1),
    }
    lab.must(
        "epoll-busy-poll-bad-values-einval",
        expected=[dict.fromkeys(bad, "EINVAL"), _GOOD],
        observed=[
            {name: lab.outcome(epoll.set_busy_poll, *values) for name, values in bad.items()},
            epoll.busy_poll(),
        ],
        reason="outcomes; what is set afterwards",
    )

    def without_rights(parent: Parent) -> None:
        become_nobody()
        budgets = (_NAPI_WEIGHT, _NAPI_WEIGHT + 1)
        parent.report([lab.outcome(epoll.set_busy_poll, 200, budget) for budget in budgets])

    child = lab.fork(without_rights)
    lab.must(
        "epoll-min-wait-busy-poll-zero-latency",
        expected=["ok", "EPERM"],
        observed=child.expect(),
        reason=f"budgets of {_NAPI_WEIGHT} and {_NAPI_WEIGHT + 1}",
    )
    child.end()
    ours, theirs = lab.socketpair()
    lab.add(epoll, ours, EPOLLIN)
    idle = lab.wait(epoll, within=0.002)
    lab.send(theirs, b"x")
    lab.must(
        "epoll-busy-poll-still-reports-others",
        expected=[[], [(ours, EPOLLIN)]],
        observed=[idle, lab.wait(epoll)],
    )


CASE = Case(
    variants=(busy_poll,),
    claims=(
        Claim(
            "epoll-busy-poll-ioctls",
            "EPIOCGPARAMS of a fresh instance is all zero, and gives back what EPIOCSPARAMS set.",
            "ioctl_eventpoll(2)",
            since="6.9",
        ),
        Claim(
            "epoll-busy-poll-bad-values-einval",
            "prefer_busy_poll above 1, a time above INT_MAX or a non-zero pad are EINVAL and change nothing.",
            "ioctl_eventpoll(2) EINVAL",
            since="6.9",
        ),
        Claim(
            "epoll-min-wait-busy-poll-zero-latency",
            "A budget above NAPI's weight of 64 needs CAP_NET_ADMIN, else EPERM.",
            "ioctl_eventpoll(2) EPERM",
            since="6.9",
        ),
        Claim(
            "epoll-busy-poll-still-reports-others",
            "With busy polling set, descriptors without a network device are waited for and reported as "
            "before.",
            "fs/eventpoll.c ep_busy_loop",
            since="6.9",
        ),
    ),
    needs=("epoll_busy_poll",),
)
