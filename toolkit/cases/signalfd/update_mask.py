"""A signalfd can be given another mask, and everybody who holds it has it too.

What it does        Calls signalfd with an existing descriptor: in one process, under a blocked reader, under an epoll
                    waiter, and in a forked child.
Why it bites        The mask belongs to the open file description. A child that narrows "its" signalfd makes the parent
                    deaf; and flags given with the update are silently ignored.
What you will see   The same number back, only the new mask honoured, sleepers woken by what the new mask lets in, flags
                    unchanged. naive: the parent's SIGUSR2 is unreadable after the child's update. right: the child
                    makes a signalfd of its own, and the parent reads SIGUSR2 as before.
References          signalfd(2) fd argument; sid-project/sid#33
"""

import os
import signal

from toolkit.ffi.flags import EPOLLIN, SFD_CLOEXEC, SFD_NONBLOCK, EpollEvents
from toolkit.lab import Case, Claim, Lab

_ONE, _TWO = signal.SIGUSR1, signal.SIGUSR2


def naive(lab: Lab) -> None:
    """Same process, sleepers, flags, and a child that narrows what it inherited."""
    lab.block(_ONE, _TWO)
    fd = lab.signalfd(_ONE)
    lab.send_signal(_ONE)
    readable = lab.poll(fd)
    fd.update([_TWO])
    seen = [readable, lab.poll(fd)]
    fd.update([_ONE, _TWO])
    lab.must(
        "signalfd-update-mask-same-fd",
        expected=[EPOLLIN, EpollEvents(0), [_ONE], [_ONE, _TWO]],
        observed=[*seen, [info.ssi_signo for info in lab.records(fd)], fd.signals],
    )
    _flags(lab)
    _sleepers(lab)
    _child(lab)


def _flags(lab: Lab) -> None:
    plain = lab.signalfd(_ONE, flags=0)
    plain.update([_ONE], SFD_NONBLOCK | SFD_CLOEXEC)
    lab.must(
        "signalfd-update-flags-not-applied",
        expected=[False, False],
        observed=[bool(lab.status_flags(plain) & os.O_NONBLOCK), lab.is_cloexec(plain)],
    )


def _sleepers(lab: Lab) -> None:
    blocking = lab.signalfd(_ONE, flags=SFD_CLOEXEC)
    lab.send_signal(_TWO)
    reader = lab.asleep(blocking.read)
    blocking.update([_ONE, _TWO])
    lab.must(
        "signalfd-update-wakes-blocked-reader",
        expected=[_TWO],
        observed=[info.ssi_signo for info in reader.result()],
    )
    epoll, fd = lab.epoll(), lab.signalfd(_ONE)
    lab.add(epoll, fd, EPOLLIN)
    lab.send_signal(_TWO)
    waiter = lab.asleep(lab.wait, epoll, within=5.0)
    fd.update([_ONE, _TWO])
    lab.must(
        "signalfd-update-wakes-epoll-waiter",
        expected=[EPOLLIN],
        observed=[events for _, events in waiter.result()],
    )
    lab.records(fd)


def _child(lab: Lab) -> None:
    fd = lab.signalfd(_ONE, _TWO)
    lab.fork(lambda _parent: fd.update([_ONE])).end()
    lab.send_signal(_TWO)
    lab.must(
        "signalfd-mask-shared-over-fork",
        expected=["EAGAIN", [_ONE], [_TWO]],
        observed=[lab.outcome(fd.read), fd.signals, lab.pending()],
        reason="the parent's read, the mask it has now, and the signal that stays pending",
    )


def right(lab: Lab) -> None:
    """The child narrows a signalfd of its own."""
    lab.block(_ONE, _TWO)
    fd = lab.signalfd(_ONE, _TWO)

    def make_own(_parent: object) -> None:
        lab.signalfd(_ONE, _TWO).update([_ONE])

    lab.fork(make_own).end()
    lab.send_signal(_TWO)
    lab.must(
        "signalfd-own-descriptor-leaves-parent-s-mask",
        expected=[[_TWO], [_ONE, _TWO]],
        observed=[[info.ssi_signo for info in lab.records(fd)], fd.signals],
        reason="the parent's read, and the mask it has still",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-update-mask-same-fd",
            "signalfd with an existing descriptor returns it, and only the new mask is honoured.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-update-flags-not-applied",
            "Flags given with an update do not change the descriptor.",
            "observed; fs/signalfd.c do_signalfd4",
        ),
        Claim(
            "signalfd-update-wakes-blocked-reader",
            "A blocked reader is woken by an update that lets a pending signal in.",
            "fs/signalfd.c do_signalfd4 (wake_up)",
        ),
        Claim(
            "signalfd-update-wakes-epoll-waiter",
            "So is a waiter in epoll_wait.",
            "fs/signalfd.c do_signalfd4 (wake_up)",
        ),
        Claim(
            "signalfd-mask-shared-over-fork",
            "An update in a forked child is the parent's mask as well.",
            "signalfd(2) fork(2) semantics",
        ),
        Claim(
            "signalfd-own-descriptor-leaves-parent-s-mask",
            "A signalfd that a child made itself has a mask of its own.",
            "signalfd(2) fork(2) semantics",
        ),
    ),
)
