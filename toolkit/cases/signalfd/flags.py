"""Close-on-exec, non-blocking, and no descriptor left.

What it does        Makes signalfds with each flag and without, and one more at RLIMIT_NOFILE.
Why it bites        A signalfd without close-on-exec is inherited by every program started, and each of them can read
                    its own signals from it: not a leak of data, but of behaviour.
What you will see   Each flag sets its own property; EMFILE at the limit, where an update still works.
References          signalfd(2) SFD_CLOEXEC, SFD_NONBLOCK, ERRORS
"""

import os
import signal

from toolkit.ffi.flags import SFD_CLOEXEC, SFD_NONBLOCK
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.limits import no_free_descriptor


def flags(lab: Lab) -> None:
    """Properties, then the limit."""
    both = lab.signalfd(signal.SIGUSR1, flags=SFD_CLOEXEC | SFD_NONBLOCK)
    neither = lab.signalfd(signal.SIGUSR1, flags=0)
    lab.must(
        "signalfd-cloexec-nonblock-flags",
        expected=[[True, os.O_RDWR | os.O_NONBLOCK], [False, os.O_RDWR]],
        observed=[
            [lab.is_cloexec(fd), lab.status_flags(fd) & (os.O_NONBLOCK | os.O_ACCMODE)]
            for fd in (both, neither)
        ],
    )
    with no_free_descriptor():
        created, updated = (
            lab.outcome(lab.signalfd, signal.SIGUSR1),
            lab.outcome(both.update, [signal.SIGUSR2]),
        )
    lab.must("signalfd-emfile", expected=["EMFILE", "ok"], observed=[created, updated])
    lab.skip("signalfd-enodev", "only a kernel that cannot mount its anonymous inode device says so")


CASE = Case(
    variants=(flags,),
    claims=(
        Claim(
            "signalfd-cloexec-nonblock-flags",
            "SFD_CLOEXEC and SFD_NONBLOCK set what they name; without them both are clear. The mode is O_RDWR.",
            "signalfd(2)",
            "2.6.27",
        ),
        Claim(
            "signalfd-emfile",
            "At RLIMIT_NOFILE creating fails with EMFILE; updating works.",
            "signalfd(2) ERRORS",
        ),
        Claim(
            "signalfd-enodev",
            "Without the anonymous inode device, signalfd fails with ENODEV.",
            "signalfd(2) ERRORS",
        ),
    ),
)
