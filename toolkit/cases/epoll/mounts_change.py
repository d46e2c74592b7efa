"""/proc/self/mounts tells of each mount and unmount with EPOLLPRI.

What it does        Registers /proc/self/mounts for EPOLLPRI in a mount namespace of its own, and mounts and unmounts
                    there.
Why it bites        The file is always readable, so EPOLLIN says nothing and spins. The change is EPOLLPRI|EPOLLERR,
                    an "error" that is none; a loop that closes on EPOLLERR loses its watch with the first mount.
What you will see   Nothing at first, EPOLLPRI|EPOLLERR once for the mount and once for the unmount; with EPOLLIN in
                    the mask, every wait.
References          proc_pid_mounts(5); LTP epoll_wait10
"""

from toolkit.ffi.flags import EPOLLERR, EPOLLIN, EPOLLPRI
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.machine import mount_tmpfs, own_mounts, unmount


def mounts(lab: Lab) -> None:
    """In a child, whose namespace ends with it."""
    place = lab.tmp_path / "mounted"
    place.mkdir()

    def watch(parent: Parent) -> None:
        refused = lab.outcome(own_mounts)
        if refused != "ok":
            parent.report(refused)
            return
        epoll, listing = lab.epoll(), lab.open("/proc/self/mounts")
        lab.add(epoll, listing, EPOLLPRI)
        looks = [lab.ready(epoll)]
        for change in (mount_tmpfs, unmount):
            change(place)
            looks += [lab.ready(epoll), lab.ready(epoll)]
        lab.modify(epoll, listing, EPOLLIN)
        looks += [lab.ready(epoll), lab.ready(epoll)]
        parent.report([[int(mask) for _, mask in look] for look in looks])

    child = lab.fork(watch)
    report = child.expect()
    child.end()
    if isinstance(report, str):
        lab.skip_rest(f"a mount namespace of its own is {report} here")
    change = [int(EPOLLPRI | EPOLLERR)]
    lab.must(
        "epollpri-proc-mounts-change",
        expected=[[], change, [], change, []],
        observed=report[:5],
        reason="at first; after a mount, again; after an unmount, again",
    )
    lab.must(
        "epoll-proc-mounts-always-readable",
        expected=[[int(EPOLLIN)]] * 2,
        observed=report[5:],
    )


CASE = Case(
    variants=(mounts,),
    claims=(
        Claim(
            "epollpri-proc-mounts-change",
            "/proc/self/mounts reports EPOLLPRI|EPOLLERR once for each mount and unmount.",
            "proc_pid_mounts(5); LTP epoll_wait10",
            since="2.6.15",
        ),
        Claim(
            "epoll-proc-mounts-always-readable",
            "/proc/self/mounts is EPOLLIN on every wait, whether it changed or not.",
            "fs/proc_namespace.c mounts_poll",
        ),
    ),
)
