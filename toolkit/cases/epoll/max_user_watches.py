"""EPOLL_CTL_ADD says "No space left on device": the user's registrations are used up.

What it does        Lowers fs.epoll.max_user_watches for a moment, where it may, and registers until ADD fails.
Why it bites        ENOSPC makes everybody look at disks, and inotify has a limit of nearly the same name that is hit
                    far more often, so what one finds about it is about inotify. It counts (descriptor, instance)
                    pairs of all processes of a user together: one leaking daemon stops its neighbours.
What you will see   ADD fails with ENOSPC at the limit, and works again after one DEL. The default is 4 % of low
                    memory over the size of a registration: millions. Skipped unless EVKIT_MAY_CHANGE_SYSCTLS=1 and
                    root.
References          epoll_ctl(2) ENOSPC; epoll(7) /proc interfaces; fs/eventpoll.c ep_insert
"""

import os
from pathlib import Path

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.machine import become_nobody, may_change_sysctls, sysctl

_KNOB = Path("/proc/sys/fs/epoll/max_user_watches")
_LIMIT = 20_000
_TARGETS = 150
_LOW_MEMORY_SHARE = 25


def watches(lab: Lab) -> None:
    """The default, and the limit reached."""
    if not _KNOB.exists():
        lab.skip_rest("there is no fs.epoll.max_user_watches here")
    limit = int(_KNOB.read_text())
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    lab.record(
        "epoll-max-user-watches-default-4pct-lowmem",
        {"watches": limit, "bytes each": round(memory / _LOW_MEMORY_SHARE / limit, 1)},
        reason="bytes each: 4 % of memory over the limit, if the limit is the default",
    )
    refusal = may_change_sysctls()
    if refusal:
        lab.skip("epoll-ctl-enospc-max-user-watches", refusal)
        return
    with sysctl("fs/epoll/max_user_watches", _LIMIT):
        child = lab.fork(lambda parent: _register_all(lab, parent))
        made, *outcomes = child.expect()
        child.end()
    lab.must(
        "epoll-ctl-enospc-max-user-watches",
        expected=[f"at most {_LIMIT}", "ENOSPC", "ok", "ok"],
        observed=[made, *outcomes],
        holds=0 < made <= _LIMIT and outcomes == ["ENOSPC", "ok", "ok"],
        reason="registrations made (the user's other processes count too); the next ADD; DEL of one; ADD of it",
    )


def _register_all(lab: Lab, parent: Parent) -> None:
    """As a user who has hardly any registrations yet, with a limit that nobody else is near."""
    become_nobody()
    targets = [lab.eventfd() for _ in range(_TARGETS)]
    first = lab.epoll()
    epoll, made, outcome = first, 0, "ok"
    while outcome == "ok" and made <= _LIMIT:
        for target in targets:
            outcome = lab.outcome(epoll.add, target, EPOLLIN)
            made += outcome == "ok"
        epoll = lab.epoll()
    again = [lab.outcome(lab.remove, first, targets[0]), lab.outcome(lab.add, first, targets[0], EPOLLIN)]
    parent.report([made, outcome, *again])


CASE = Case(
    variants=(watches,),
    claims=(
        Claim(
            "epoll-max-user-watches-default-4pct-lowmem",
            "By default max_user_watches is 4 % of low memory over the size of a registration.",
            "epoll(7) /proc interfaces; fs/eventpoll.c eventpoll_init",
            since="2.6.28",
        ),
        Claim(
            "epoll-ctl-enospc-max-user-watches",
            "At max_user_watches registrations of a user ADD is ENOSPC, and works again after a DEL.",
            "epoll_ctl(2) ENOSPC",
            since="2.6.28",
        ),
    ),
)
