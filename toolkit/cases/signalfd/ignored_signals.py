"""Ignored or not, a blocked signal is queued.

What it does        Blocks SIGUSR1 with SIG_IGN set, and SIGWINCH whose default is to be ignored, and sends both; then
                    sets SIG_IGN while one is pending.
Why it bites        Emulators drop what is ignored before looking at the mask, so a terminal program never sees its
                    SIGWINCH there. On Linux the other trap waits: setting SIG_IGN throws away what is pending.
What you will see   Both records are read; and nothing is left after SIG_IGN was set over a pending signal.
References          signal(7); sigaction(2); asterinas/asterinas#2503; cloudius-systems/osv#1439
"""

import signal

from toolkit.ffi import tracing
from toolkit.lab import Case, Claim, Lab


def ignored_signals(lab: Lab) -> None:
    """Ignored by choice, ignored by default, ignored too late."""
    lab.block(signal.SIGUSR1, signal.SIGWINCH)
    fd = lab.signalfd(signal.SIGUSR1, signal.SIGWINCH)
    _ignore(signal.SIGUSR1)
    lab.send_signal(signal.SIGUSR1)
    read = [info.ssi_signo for info in lab.records(fd)]
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    lab.send_signal(signal.SIGUSR1)
    _ignore(signal.SIGUSR1)
    lab.must(
        "signalfd-sig-ign-blocked-still-queued",
        expected=[[signal.SIGUSR1], []],
        observed=[read, lab.records(fd)],
        reason="sent while ignored, and pending when SIG_IGN was set",
    )
    lab.send_signal(signal.SIGWINCH)
    lab.must(
        "signalfd-default-ignored-readable",
        expected=[signal.SIGWINCH],
        observed=[info.ssi_signo for info in lab.records(fd)],
    )


def _ignore(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)
    tracing.emit("rt_sigaction", f"{number.name}, {{sa_handler=SIG_IGN}}, NULL, 8", 0)


CASE = Case(
    variants=(ignored_signals,),
    claims=(
        Claim(
            "signalfd-sig-ign-blocked-still-queued",
            "A blocked signal is queued though it is ignored; setting SIG_IGN discards what is pending.",
            "sigaction(2); POSIX signal concepts",
        ),
        Claim(
            "signalfd-default-ignored-readable",
            "A blocked signal whose default is to be ignored is read.",
            "signalfd(2) DESCRIPTION",
        ),
    ),
)
