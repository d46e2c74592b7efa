"""Blocked, pending, readable, gone: what a signalfd does with one signal.

What it does        Blocks SIGUSR1, sends it, and looks: at poll, at the record, at what is pending afterwards; also
                    with a signal that was pending before, with an empty mask, and with a write.
Why it bites        A signal read from the descriptor is consumed like any other: no handler will see it. Expecting
                    the descriptor to buffer anything of its own leads to lost or doubled signals.
What you will see   One record of 128 bytes, nothing pending after it, readiness at once for what was pending before,
                    and EINVAL for writing.
References          signalfd(2) DESCRIPTION
"""

import signal

from toolkit.ffi import raw
from toolkit.ffi.flags import EPOLLIN, EPOLLOUT, EpollEvents
from toolkit.lab import Case, Claim, Lab

_SILENT = EpollEvents(0)


def reading(lab: Lab) -> None:
    """From sent to gone."""
    lab.block(signal.SIGUSR1, signal.SIGUSR2)
    fd = lab.signalfd(signal.SIGUSR1)
    before = lab.poll(fd)
    lab.send_signal(signal.SIGUSR1)
    readable = lab.poll(fd)
    records = lab.records(fd)
    lab.must(
        "signalfd-blocked-signal-readable",
        expected=[_SILENT, EPOLLIN, [signal.SIGUSR1], []],
        observed=[before, readable, [record.ssi_signo for record in records], lab.pending()],
        reason="poll before and after, the record, and what is pending once it is read",
    )
    lab.send_signal(signal.SIGUSR1)
    size = len(lab.attempt(lab.read, fd, 4096))
    lab.must("signalfd-siginfo-size-128", expected=[128, 128], observed=[raw.SIGNALFD_SIGINFO_SIZE, size])

    lab.send_signal(signal.SIGUSR2)
    late = lab.signalfd(signal.SIGUSR2)
    lab.must("signalfd-already-pending-is-readable", expected=EPOLLIN, observed=lab.poll(late))

    lab.must(
        "signalfd-never-writable",
        expected=[EPOLLIN, "EINVAL"],
        observed=[lab.poll(late, EPOLLIN | EPOLLOUT), lab.outcome(lab.write, late, bytes(128))],
    )
    created = lab.outcome(lab.signalfd)
    nothing = lab.signalfd() if created == "ok" else None
    lab.must(
        "signalfd-empty-mask-ok-never-ready",
        expected=["ok", _SILENT, "EAGAIN"],
        observed=[created, *([lab.poll(nothing), lab.outcome(nothing.read)] if nothing else [])],
    )


CASE = Case(
    variants=(reading,),
    claims=(
        Claim(
            "signalfd-blocked-signal-readable",
            "A blocked signal makes the signalfd readable; reading its record consumes the signal.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim("signalfd-siginfo-size-128", "A record has 128 bytes.", "signalfd(2) struct signalfd_siginfo"),
        Claim(
            "signalfd-already-pending-is-readable",
            "A signal that was pending before the signalfd existed is readable at once.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-never-writable", "A signalfd is never writable; write fails with EINVAL.", "observed"
        ),
        Claim("signalfd-empty-mask-ok-never-ready", "An empty mask is legal and never readable.", "observed"),
    ),
)
