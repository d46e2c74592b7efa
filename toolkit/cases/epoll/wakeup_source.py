"""EPOLLWAKEUP is dropped without a word, unless you may block suspend and the machine can.

What it does        Adds a descriptor with EPOLLWAKEUP, as root and as nobody, and reads the mask back from fdinfo.
Why it bites        EPOLLWAKEUP keeps a machine from going to sleep while an event is handled. Without
                    CAP_BLOCK_SUSPEND, or on a kernel without suspend, ADD succeeds and the flag is gone: there is no
                    error to notice, and the alarm clock that relied on it oversleeps. Only fdinfo shows it.
What you will see   Without the capability the mask in fdinfo lacks 0x20000000. With it, the bit is there, on kernels
                    that can suspend.
References          epoll_ctl(2) EPOLLWAKEUP, BUGS; capabilities(7) CAP_BLOCK_SUSPEND
"""

from pathlib import Path

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLWAKEUP, EpollEvents
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.machine import become_nobody

_PLAIN = EPOLLIN | EPOLLERR | EPOLLHUP


def wakeup(lab: Lab) -> None:
    """Without the right, and with it."""
    epoll, eventfd = lab.epoll(), lab.eventfd()

    def add_as_nobody(parent: Parent) -> None:
        become_nobody()
        parent.report(lab.outcome(lab.add, epoll, eventfd, EPOLLIN | EPOLLWAKEUP))

    child = lab.fork(add_as_nobody)
    added = child.expect()
    child.end()
    lab.must(
        "epollwakeup-silently-dropped-without-cap",
        expected=["ok", [_PLAIN]],
        observed=[added, [EpollEvents(entry.events) for entry in lab.interest_list(epoll)]],
    )
    if not Path("/sys/power/wakeup_count").exists():
        lab.skip("epollwakeup-kept-with-cap-shown-in-fdinfo", "this kernel cannot suspend (CONFIG_PM_SLEEP)")
        return
    if not _may_block_suspend():
        lab.skip("epollwakeup-kept-with-cap-shown-in-fdinfo", "needs CAP_BLOCK_SUSPEND")
        return
    lab.remove(epoll, eventfd)
    lab.add(epoll, eventfd, EPOLLIN | EPOLLWAKEUP)
    lab.must(
        "epollwakeup-kept-with-cap-shown-in-fdinfo",
        expected=[_PLAIN | EPOLLWAKEUP],
        observed=[EpollEvents(entry.events) for entry in lab.interest_list(epoll)],
    )


_CAP_BLOCK_SUSPEND = 36


def _may_block_suspend() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:")).split()[1]
    return bool(int(effective, 16) >> _CAP_BLOCK_SUSPEND & 1)


CASE = Case(
    variants=(wakeup,),
    claims=(
        Claim(
            "epollwakeup-silently-dropped-without-cap",
            "ADD with EPOLLWAKEUP but without CAP_BLOCK_SUSPEND succeeds, and the flag is dropped.",
            "epoll_ctl(2) BUGS",
            since="3.5",
        ),
        Claim(
            "epollwakeup-kept-with-cap-shown-in-fdinfo",
            "With CAP_BLOCK_SUSPEND, on a kernel that can suspend, EPOLLWAKEUP stays in the mask.",
            "epoll_ctl(2) EPOLLWAKEUP",
            since="3.5",
        ),
    ),
)
