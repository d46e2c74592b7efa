"""How many epoll instances and registrations there may be, and what stops you.

What it does        Creates an instance with no descriptor number free, looks at the limits in /proc/sys/fs/epoll,
                    and, where it may, lowers the limits of the whole machine for a moment.
Why it bites        Three limits, three errors that look alike: EMFILE for the process, ENFILE for the machine,
                    ENOSPC for the user's registrations ("No space left on device", from a call that writes to no
                    device). The page still tells of max_user_instances, which lived for one kernel release.
What you will see   EMFILE at RLIMIT_NOFILE. ENFILE and ENOSPC only with EVKIT_MAY_CHANGE_SYSCTLS=1 and as root,
                    since others on the machine would feel it. max_user_watches is 4 % of low memory by default.
References          epoll_create(2) ERRORS; epoll_ctl(2) ENOSPC; epoll(7) /proc interfaces
"""

import os
from pathlib import Path

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.limits import no_free_descriptor
from toolkit.lab.machine import become_nobody, may_change_sysctls, sysctl
from toolkit.primitives.epoll import Epoll

_KNOBS = Path("/proc/sys/fs/epoll")
_WATCHES = 20_000
_LOW_MEMORY_SHARE = 25
_NEEDS_FAULTS = "the kernel must be made to fail an allocation, which takes CONFIG_FAULT_INJECTION"


def limits(lab: Lab) -> None:
    """The process's, the machine's, the user's."""
    with no_free_descriptor():
        outcomes = [lab.outcome(Epoll), lab.outcome(Epoll.sized, 1)]
    lab.must("epoll-create-emfile-rlimit-nofile", expected=["EMFILE", "EMFILE"], observed=outcomes)
    knobs = sorted(entry.name for entry in _KNOBS.iterdir()) if _KNOBS.is_dir() else []
    lab.must("epoll-max-user-instances-knob-absent", expected=["max_user_watches"], observed=knobs)
    if "max_user_instances" not in knobs:
        lab.skip(
            "epoll-create-emfile-max-user-instances",
            "only kernels 2.6.27.8 to 2.6.28 have fs.epoll.max_user_instances",
        )
    if "max_user_watches" in knobs:
        limit = int((_KNOBS / "max_user_watches").read_text())
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        lab.record(
            "epoll-max-user-watches-default-4pct-lowmem",
            {"watches": limit, "bytes each": round(memory / _LOW_MEMORY_SHARE / limit, 1)},
            reason="bytes each: 4 % of memory over the limit, if the limit is the default",
        )
    else:
        lab.skip("epoll-max-user-watches-default-4pct-lowmem", "there is no fs.epoll.max_user_watches")
    for claim in ("epoll-create-enomem", "epoll-ctl-enomem"):
        lab.skip(claim, _NEEDS_FAULTS)
    refusal = may_change_sysctls()
    if refusal:
        for claim in ("epoll-create-enfile-file-max", "epoll-ctl-enospc-max-user-watches"):
            lab.skip(claim, refusal)
    else:
        _file_max(lab)
        _max_user_watches(lab)


def _file_max(lab: Lab) -> None:
    def create(parent: Parent) -> None:
        become_nobody()
        parent.report()
        parent.wait()
        parent.report(lab.outcome(Epoll))

    child = lab.fork(create)
    child.expect()
    with sysctl("fs/file-max", 1):
        child.proceed()
        outcome = child.expect()
    child.end()
    lab.must("epoll-create-enfile-file-max", expected="ENFILE", observed=outcome)


def _max_user_watches(lab: Lab) -> None:
    """As a user who has no registrations yet, with a limit that nobody else is near."""

    def register(parent: Parent) -> None:
        become_nobody()
        parent.wait()
        targets = [lab.eventfd() for _ in range(150)]
        added = 0
        while True:
            epoll = lab.epoll()
            for target in targets:
                outcome = lab.outcome(epoll.add, target, EPOLLIN)
                if outcome != "ok" or added > _WATCHES:
                    epoll_with_room = lab.outcome(epoll.remove, targets[0])
                    again = lab.outcome(epoll.add, targets[0], EPOLLIN)
                    parent.report([added, outcome, epoll_with_room, again])
                    return
                added += 1

    with sysctl("fs/epoll/max_user_watches", _WATCHES):
        child = lab.fork(register)
        child.proceed()
        report = child.expect()
        child.end()
    made, *outcomes = report
    lab.must(
        "epoll-ctl-enospc-max-user-watches",
        expected=[f"at most {_WATCHES}", "ENOSPC", "ok", "ok"],
        observed=report,
        holds=0 < made <= _WATCHES and outcomes == ["ENOSPC", "ok", "ok"],
        reason="registrations made (the user's other processes count too); the next ADD; DEL of one; ADD of it",
    )


CASE = Case(
    variants=(limits,),
    claims=(
        Claim(
            "epoll-create-emfile-rlimit-nofile",
            "At RLIMIT_NOFILE epoll_create and epoll_create1 are EMFILE.",
            "epoll_create(2) EMFILE; LTP epoll_create03",
        ),
        Claim(
            "epoll-max-user-instances-knob-absent",
            "/proc/sys/fs/epoll holds max_user_watches and nothing else.",
            "epoll(7) /proc interfaces",
        ),
        Claim(
            "epoll-create-emfile-max-user-instances",
            "With fs.epoll.max_user_instances reached, epoll_create is EMFILE, on kernels that have it.",
            "epoll_create(2) EMFILE",
            since="2.6.27.8",
        ),
        Claim(
            "epoll-max-user-watches-default-4pct-lowmem",
            "By default max_user_watches is 4 % of low memory over the size of a registration.",
            "epoll(7) /proc interfaces; fs/eventpoll.c eventpoll_init",
            since="2.6.28",
        ),
        Claim(
            "epoll-create-enomem",
            "epoll_create1 without memory for the instance is ENOMEM.",
            "epoll_create(2) ENOMEM",
        ),
        Claim(
            "epoll-ctl-enomem",
            "ADD without memory for the entry is ENOMEM, and nothing is registered.",
            "epoll_ctl(2) ENOMEM",
        ),
        Claim(
            "epoll-create-enfile-file-max",
            "At fs.file-max epoll_create1 of an unprivileged process is ENFILE.",
            "epoll_create(2) ENFILE",
        ),
        Claim(
            "epoll-ctl-enospc-max-user-watches",
            "At max_user_watches registrations of a user ADD is ENOSPC, and works again after a DEL.",
            "epoll_ctl(2) ENOSPC",
            since="2.6.28",
        ),
    ),
)
