"""What a SIGCHLD record says about the child.

What it does        Lets one child exit with 7, one be killed, and one be stopped and continued, reading a record after
                    each.
Why it bites        ssi_status is an exit status for one code and a signal number for the others; read without
                    ssi_code, "killed by 9" and "exited with 9" are the same.
What you will see   CLD_EXITED with 7, CLD_KILLED with SIGTERM, CLD_STOPPED and CLD_CONTINUED, each with the child's
                    pid, and all of it although SIGCHLD is ignored by default: blocked is enough.
References          signalfd(2); sigaction(2) SIGCHLD; wait(2)
"""

import os
import signal

from toolkit.ffi.siginfo import SigInfo
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.primitives.signalfd import SignalFd


def siginfo_of_children(lab: Lab) -> None:
    """Exited, killed, stopped, continued."""
    lab.block(signal.SIGCHLD)
    fd = lab.signalfd(signal.SIGCHLD)
    child = lab.fork(lambda _parent: 7)
    info = _next(lab, fd)
    lab.must(
        "signalfd-ssi-sigchld-exited",
        expected=["CLD_EXITED", 7, child.pid, os.getuid()],
        observed=[info.code_name, info.ssi_status, info.ssi_pid, info.ssi_uid],
    )
    lab.must(
        "signalfd-default-ignored-sigchld-works-if-blocked",
        expected=[signal.SIG_DFL, signal.SIGCHLD],
        observed=[signal.getsignal(signal.SIGCHLD), info.ssi_signo],
    )
    child.end()

    def wait_for_ever(parent: Parent) -> None:
        parent.report("here")
        parent.wait(within=30)

    child = lab.fork(wait_for_ever)
    child.expect()
    seen = []
    for number in (signal.SIGSTOP, signal.SIGCONT):
        child.kill(number)
        info = _next(lab, fd)
        seen.append([info.code_name, info.ssi_status, info.ssi_pid == child.pid])
    lab.must(
        "signalfd-ssi-sigchld-stop-continue",
        expected=[["CLD_STOPPED", signal.SIGSTOP, True], ["CLD_CONTINUED", signal.SIGCONT, True]],
        observed=seen,
    )
    child.kill(signal.SIGTERM)
    info = _next(lab, fd)
    lab.must(
        "signalfd-ssi-sigchld-killed",
        expected=["CLD_KILLED", signal.SIGTERM, child.pid],
        observed=[info.code_name, info.ssi_status, info.ssi_pid],
    )
    child.end()


def _next(lab: Lab, fd: SignalFd) -> SigInfo:
    """The next record, waited for; zeros when none came."""
    lab.poll(fd, within=2.0)
    return next(iter(lab.records(fd, 1)), SigInfo(*[0] * 20))


CASE = Case(
    variants=(siginfo_of_children,),
    claims=(
        Claim(
            "signalfd-ssi-sigchld-exited",
            "A child that exits gives CLD_EXITED with its exit status, pid and uid.",
            "signalfd(2); sigaction(2)",
        ),
        Claim(
            "signalfd-ssi-sigchld-killed",
            "A killed child gives CLD_KILLED with the signal's number.",
            "sigaction(2)",
        ),
        Claim(
            "signalfd-ssi-sigchld-stop-continue",
            "Stopping and continuing a child gives CLD_STOPPED and CLD_CONTINUED.",
            "sigaction(2) SA_NOCLDSTOP",
        ),
        Claim(
            "signalfd-default-ignored-sigchld-works-if-blocked",
            "SIGCHLD, ignored by default, is read once it is blocked.",
            "signalfd(2) DESCRIPTION",
        ),
    ),
)
