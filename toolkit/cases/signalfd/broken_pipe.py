"""The second write to a closed peer kills a program that did not ask to live.

What it does        Writes to a pipe whose reader is gone: with the default action, with SIGPIPE ignored, with
                    MSG_NOSIGNAL on a socket; and starts a program while it is ignored.
Why it bites        A server ends silently, with no log line, when one client leaves. Ignoring SIGPIPE for the whole
                    process is the usual remedy and leaks: SIG_IGN survives exec, and `yes | head` in a child runs on
                    for ever.
What you will see   naive: killed by SIGPIPE; or, ignored, inherited by the program that is started. right: EPIPE from
                    MSG_NOSIGNAL, and the default restored before exec.
References          signal(7); send(2) MSG_NOSIGNAL; execve(2); vibe-d/eventcore#127; lima-vm/socket_vmnet#49;
                    eidheim/tiny-process-library#28
"""

import signal
import socket

from toolkit.lab import Case, Claim, Lab, Parent


def naive(lab: Lab) -> None:
    """Default, or ignored for ever."""

    def write_to_nobody(_parent: Parent) -> None:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        reader, writer = lab.pipe()
        lab.close(reader)
        lab.write(writer, b"x")

    lab.must("sigpipe-default-kills", expected=-signal.SIGPIPE, observed=lab.fork(write_to_nobody).end())
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    lab.must("sigpipe-ignored-survives-exec", expected="ignored", observed=_program_sees(lab, restore=False))


def right(lab: Lab) -> None:
    """EPIPE for this call only."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    ours, theirs = lab.socketpair()
    lab.close(theirs)
    lab.must(
        "sigpipe-msg-nosignal-epipe",
        expected="EPIPE",
        observed=lab.outcome(lab.send, ours, b"x", socket.MSG_NOSIGNAL),
    )
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    lab.must("sigpipe-restored-before-exec", expected="default", observed=_program_sees(lab, restore=True))


def _program_sees(lab: Lab, restore: bool) -> str:
    """Whether a program started now has SIGPIPE ignored. Not a Python one: those ignore it themselves."""

    def before() -> None:
        if restore:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)

    line = lab.execute(["grep", "SigIgn", "/proc/self/status"], before=before)
    return "ignored" if int(line.split()[1], 16) >> (signal.SIGPIPE - 1) & 1 else "default"


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "sigpipe-default-kills",
            "Writing to a pipe without readers kills by default.",
            "signal(7); pipe(7)",
        ),
        Claim(
            "sigpipe-ignored-survives-exec",
            "An ignored SIGPIPE is ignored in the program that is started.",
            "execve(2)",
        ),
        Claim(
            "sigpipe-msg-nosignal-epipe",
            "With MSG_NOSIGNAL the call fails with EPIPE and nothing is sent.",
            "send(2)",
        ),
        Claim(
            "sigpipe-restored-before-exec",
            "Restored before exec, the new program has the default.",
            "execve(2)",
        ),
    ),
)
