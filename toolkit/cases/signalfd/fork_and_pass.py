"""Whoever reads a signalfd reads its own signals.

What it does        Leaves a signal pending and forks; sends the child one; passes the descriptor to another process.
Why it bites        A signalfd holds no signals, it is a view on those of the reader. A supervisor that hands its
                    signalfd to a helper does not share its SIGTERM with it.
What you will see   The child does not see the parent's pending signal, only what was sent to the child; a process that
                    got the descriptor over a socket reads its own signals from it.
References          signalfd(2) fork(2) semantics; fork(2)
"""

import os
import signal

from toolkit.ffi.flags import EPOLLIN, EpollEvents
from toolkit.lab import Case, Claim, Lab, Parent

_NUMBER = signal.SIGUSR1


def fork_and_pass(lab: Lab) -> None:
    """Three readers of one open file."""
    lab.block(_NUMBER)
    fd = lab.signalfd(_NUMBER)
    lab.send_signal(_NUMBER)

    def look(parent: Parent) -> None:
        parent.report(int(lab.poll(fd)))
        parent.wait()
        parent.report([info.ssi_pid for info in lab.records(fd)])

    child = lab.fork(look)
    lab.must(
        "signalfd-fork-pending-not-inherited",
        expected=[EpollEvents(0), EPOLLIN],
        observed=[EpollEvents(child.expect()), lab.poll(fd)],
        reason="poll in the child and in the parent",
    )
    child.kill(_NUMBER)
    child.proceed()
    lab.must(
        "signalfd-fork-child-reads-own-signals",
        expected=[[os.getpid()], 1],
        observed=[child.expect(), len(lab.records(fd))],
        reason="senders read in the child, and records left for the parent",
    )
    _passed(lab)


def _passed(lab: Lab) -> None:
    ours, theirs = lab.socketpair()
    fd = lab.signalfd(_NUMBER)

    def read_what_arrives(parent: Parent) -> None:
        lab.close(fd)
        [received] = lab.receive_descriptors(theirs)
        lab.send_signal(_NUMBER)
        parent.report(len(lab.attempt(lab.read, received, 128)))

    child = lab.fork(read_what_arrives)
    lab.send_descriptors(ours, [fd.fileno()])
    lab.must(
        "signalfd-scm-rights-reads-receivers-signals",
        expected=[128, "EAGAIN"],
        observed=[child.expect(), lab.outcome(fd.read)],
        reason="bytes read by the receiver, and the sender's own read",
    )


CASE = Case(
    variants=(fork_and_pass,),
    claims=(
        Claim("signalfd-fork-pending-not-inherited", "Pending signals are not inherited by fork.", "fork(2)"),
        Claim(
            "signalfd-fork-child-reads-own-signals",
            "Through an inherited signalfd a child reads the signals sent to the child.",
            "signalfd(2) fork(2) semantics",
        ),
        Claim(
            "signalfd-scm-rights-reads-receivers-signals",
            "Through a signalfd that was passed on, the receiver reads its own signals.",
            "signalfd(2) Semantics of file descriptor passing",
        ),
    ),
)
