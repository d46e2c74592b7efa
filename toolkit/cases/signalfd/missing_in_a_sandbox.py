"""A sandbox may not know signalfd at all.

What it does        Takes the system call away with a seccomp filter, as some container sandboxes do by not having it,
                    and sets up to hear SIGTERM.
Why it bites        A container's init that treats signalfd as given fails at its first line: "function not
                    implemented". On the developer's machine it never does.
What you will see   naive: ENOSYS and no way to hear the signal. right: the same program falls back to a self-pipe
                    written by a handler, and hears it through the same epoll.
References          signalfd(2); seccomp(2); google/gvisor#139 (s6-overlay on Cloud Run)
"""

import os
import signal

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.seccomp import refuse

_NUMBER = signal.SIGTERM


def naive(lab: Lab) -> None:
    """signalfd or nothing."""
    _in_sandbox(lab, "signalfd-enosys-in-sandbox")
    lab.must("signalfd-enosys-in-sandbox", expected="ENOSYS", observed=lab.outcome(lab.signalfd, _NUMBER))


def right(lab: Lab) -> None:
    """signalfd, else a handler that writes to a pipe."""
    _in_sandbox(lab, "signalfd-fallback-self-pipe")
    epoll = lab.epoll()
    try:
        source = lab.signalfd(_NUMBER).fileno()
    except OSError:
        source, writer = lab.pipe(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer)
        lab.count_handled(_NUMBER)
    lab.add(epoll, source, EPOLLIN)
    lab.send_signal(_NUMBER)
    events = [events for _, events in lab.wait(epoll)]
    lab.must(
        "signalfd-fallback-self-pipe",
        expected=[[EPOLLIN], bytes([_NUMBER])],
        observed=[events, lab.attempt(lab.read, source)],
        reason="the event, and the byte that the handler wrote: the signal's number",
    )


def _in_sandbox(lab: Lab, claim: str) -> None:
    try:
        refuse(linux.compiled.SYS_signalfd4, "signalfd4")
    except OSError as error:
        lab.skip(claim, "no filter can be set here")
        lab.skip_rest(f"seccomp says {error}")


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signalfd-enosys-in-sandbox",
            "Where the system call is missing, signalfd fails with ENOSYS.",
            "syscalls(2); google/gvisor#139",
        ),
        Claim(
            "signalfd-fallback-self-pipe",
            "A handler that writes to a non-blocking pipe wakes the same loop.",
            "signal(7); https://cr.yp.to/docs/selfpipe.html",
        ),
    ),
)
