"""How many epoll instances there may be, and what stops you.

What it does        Creates an instance with no descriptor number free, looks at what /proc/sys/fs/epoll holds, and,
                    where it may, lowers the limit of open files of the whole machine for a moment.
Why it bites        EMFILE is the process's limit, ENFILE the machine's, which root passes over, so it is seen by the
                    services that run without rights. The page still tells of max_user_instances, which lived for one
                    kernel release; what is left, max_user_watches, has a case of its own.
What you will see   EMFILE at RLIMIT_NOFILE. ENFILE only with EVKIT_MAY_CHANGE_SYSCTLS=1 and as root, since others on
                    the machine would feel it. ENOMEM cannot be had for the asking.
References          epoll_create(2) ERRORS; epoll(7) /proc interfaces
"""

from pathlib import Path

from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.limits import no_free_descriptor
from toolkit.lab.machine import become_nobody, may_change_sysctls, sysctl
from toolkit.primitives.epoll import Epoll

_KNOBS = Path("/proc/sys/fs/epoll")
_NEEDS_FAULTS = "the kernel must be made to fail an allocation, which takes CONFIG_FAULT_INJECTION"


def limits(lab: Lab) -> None:
    """The process's, the machine's."""
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
    for claim in ("epoll-create-enomem", "epoll-ctl-enomem"):
        lab.skip(claim, _NEEDS_FAULTS)
    refusal = may_change_sysctls()
    if refusal:
        lab.skip("epoll-create-enfile-file-max", refusal)
    else:
        _file_max(lab)


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
    ),
)
