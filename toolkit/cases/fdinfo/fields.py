"""What /proc/self/fdinfo tells of an eventfd, a signalfd, an epoll: without touching them.

What it does        Makes one of each, changes them, and reads their fdinfo files in between.
Why it bites        A counter that nobody reads, a signal that is not in the mask, an entry that should be gone:
                    fdinfo shows each of them in a process that is stuck, from outside, and reading it consumes
                    nothing. But the counter is hexadecimal without saying so ("28" is forty), and the signal mask
                    counts from bit 0.
What you will see   pos, flags, mnt_id and ino in each; eventfd-count 28 after 40 was written; one eventfd-id for a
                    dup, another for another; a sigmask in which SIGKILL and SIGSTOP never stand.
References          proc_pid_fdinfo(5); proc_pid_fd(5); signalfd(2) NOTES
"""

import os
import signal

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_ALL_SIGNALS = range(1, 65)
_KILL_AND_STOP = {signal.SIGKILL, signal.SIGSTOP}


def fields(lab: Lab) -> None:
    """Common fields, then one kind after the other."""
    eventfd, epoll = lab.eventfd(), lab.epoll()
    signalfd = lab.signalfd(signal.SIGINT, signal.SIGQUIT)
    kinds = {"eventfd": eventfd, "signalfd": signalfd, "eventpoll": epoll}
    common = ["pos", "flags", "mnt_id", "ino"]
    lab.must(
        "fdinfo-common-pos-mnt-id-ino",
        expected=dict.fromkeys(kinds, common),
        observed={name: [key for key in common if key in lab.fdinfo(one)] for name, one in kinds.items()},
    )
    lab.must(
        "fdinfo-anon-inode-names",
        expected={name: f"anon_inode:[{name}]" for name in kinds},
        observed={name: os.readlink(f"/proc/self/fd/{one.fileno()}") for name, one in kinds.items()},  # noqa: PTH115  it is no path
    )
    eventfd.write(40)
    shown = lab.fdinfo(eventfd)["eventfd-count"].strip()
    lab.must(
        "fdinfo-eventfd-count-hex",
        expected=["28", "28", 40],
        observed=[shown, lab.fdinfo(eventfd)["eventfd-count"].strip(), eventfd.read()],
        reason="twice from fdinfo, then read(2)",
    )
    _eventfd_id(lab)
    _signal_mask(lab)
    lab.add(epoll, eventfd, EPOLLIN, data=0xABC)
    [entry] = lab.interest_list(epoll)
    lab.must(
        "fdinfo-epoll-lists-registrations",
        expected=[eventfd.fileno(), 0xABC, os.fstat(eventfd.fileno()).st_ino],
        observed=[entry.tfd, entry.data, entry.ino],
        reason="tfd, data, and the inode of the target",
    )


def _eventfd_id(lab: Lab) -> None:
    one, other = lab.eventfd(), lab.eventfd()
    if "eventfd-id" not in lab.fdinfo(one):
        lab.skip("fdinfo-eventfd-id-distinguishes-objects", "fdinfo has no eventfd-id before Linux 5.2")
        return
    names = [lab.fdinfo(fd)["eventfd-id"] for fd in (one, lab.dup(one), other)]
    lab.must(
        "fdinfo-eventfd-id-distinguishes-objects",
        expected=[True, True],
        observed=[names[0] == names[1], names[0] != names[2]],
        reason="a dup has the same, another eventfd another",
    )


def _signal_mask(lab: Lab) -> None:
    signalfd = lab.signalfd(signal.SIGINT, signal.SIGQUIT)
    before = lab.fdinfo(signalfd)["sigmask"]
    signalfd.update([signal.SIGHUP])
    lab.must(
        "fdinfo-signalfd-sigmask-hex",
        expected=["0000000000000006", "0000000000000001"],
        observed=[before, lab.fdinfo(signalfd)["sigmask"]],
        reason="SIGINT and SIGQUIT; after an update to SIGHUP",
    )
    whole = int(lab.fdinfo(lab.signalfd(*_ALL_SIGNALS))["sigmask"], 16)
    absent = {number for number in _ALL_SIGNALS if not whole >> (number - 1) & 1}
    lab.must(
        "fdinfo-signalfd-kill-stop-stripped",
        expected=sorted(int(number) for number in _KILL_AND_STOP),
        observed=sorted(absent),
        reason="signals that a full mask lacks",
    )


CASE = Case(
    variants=(fields,),
    claims=(
        Claim(
            "fdinfo-common-pos-mnt-id-ino",
            "fdinfo starts with pos, flags, mnt_id and ino.",
            "proc_pid_fdinfo(5)",
            since="5.14",
        ),
        Claim(
            "fdinfo-anon-inode-names",
            "/proc/self/fd shows anon_inode:[eventfd], anon_inode:[signalfd], anon_inode:[eventpoll].",
            "proc_pid_fd(5); observed",
        ),
        Claim(
            "fdinfo-eventfd-count-hex",
            "eventfd-count is the counter in hexadecimal, and reading it consumes nothing.",
            "proc_pid_fdinfo(5)",
            since="3.8",
        ),
        Claim(
            "fdinfo-eventfd-id-distinguishes-objects",
            "eventfd-id is the same for a dup and another for another eventfd.",
            "fs/eventfd.c eventfd_show_fdinfo",
            since="5.2",
        ),
        Claim(
            "fdinfo-signalfd-sigmask-hex",
            "sigmask is 16 hexadecimal digits, bit n-1 for signal n, and follows updates.",
            "proc_pid_fdinfo(5)",
            since="3.8",
        ),
        Claim(
            "fdinfo-signalfd-kill-stop-stripped",
            "A signalfd made with a full mask has neither SIGKILL nor SIGSTOP in it.",
            "signalfd(2) NOTES",
        ),
        Claim(
            "fdinfo-epoll-lists-registrations",
            "An epoll's fdinfo has a line for each registration, with number, data word and inode.",
            "proc_pid_fdinfo(5)",
            since="4.13",
        ),
    ),
)
