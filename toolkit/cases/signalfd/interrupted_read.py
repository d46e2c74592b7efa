"""A read of a signalfd is interrupted by every other handler.

What it does        Blocks in a read of a signalfd for SIGUSR1 and runs a handler for SIGUSR2.
Why it bites        EINTR from a descriptor for signals looks like a contradiction, and loops without a retry take it
                    for the end.
What you will see   EINTR, because Python's handler was installed with SA_RESTART switched off (siginterrupt); the next
                    read gives the record.
References          signal(7) Interruption of system calls; siginterrupt(3)
"""

import signal

from toolkit.ffi.flags import SFD_CLOEXEC
from toolkit.lab import Case, Claim, Lab, Parent


def interrupted_read(lab: Lab) -> None:
    """Another signal's handler, then the signal."""

    def read_twice(parent: Parent) -> None:
        lab.count_handled(signal.SIGUSR2)
        signal.siginterrupt(signal.SIGUSR2, True)
        lab.block(signal.SIGUSR1)
        fd = lab.signalfd(signal.SIGUSR1, flags=SFD_CLOEXEC)
        parent.report("reading")
        parent.report(lab.outcome(fd.read))
        parent.report([info.ssi_signo for info in fd.read()])

    child = lab.fork(read_twice)
    child.expect()
    child.until_asleep()
    child.kill(signal.SIGUSR2)
    interrupted = child.expect()
    child.kill(signal.SIGUSR1)
    lab.must(
        "signalfd-read-eintr-other-signal",
        expected=["EINTR", [signal.SIGUSR1]],
        observed=[interrupted, child.expect()],
    )


CASE = Case(
    variants=(interrupted_read,),
    claims=(
        Claim(
            "signalfd-read-eintr-other-signal",
            "A blocked read is interrupted (EINTR) by the handler of a signal outside its mask.",
            "signal(7) Interruption of system calls and library functions by signal handlers",
        ),
    ),
)
