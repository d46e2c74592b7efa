"""Three things a signalfd never gives: SIGKILL, SIGSTOP, and your own crash.

What it does        Asks for every signal, then sends SIGKILL to one child, lets another touch memory it does not have,
                    and sends a third a SIGSEGV with kill.
Why it bites        A "crash handler" built on a signalfd never sees a crash: a fault is delivered to the thread that
                    made it, blocked or not, and blocked means killed.
What you will see   The mask is accepted without SIGKILL and SIGSTOP, the fault kills, and a SIGSEGV that somebody
                    sent with kill is an ordinary signal and is read.
References          signalfd(2) NOTES, Limitations; sigprocmask(2)
"""

import signal

from toolkit.ffi import raw
from toolkit.ffi.flags import EPOLLIN, EpollEvents
from toolkit.lab import Case, Claim, Lab, Parent


def kill_stop_and_faults(lab: Lab) -> None:
    """What is accepted, what kills, what is read."""
    fd = lab.signalfd(*range(1, 65))
    lab.must(
        "signalfd-sigkill-sigstop-ignored-in-mask",
        expected=[number for number in range(1, 65) if number not in (signal.SIGKILL, signal.SIGSTOP)],
        observed=fd.signals,
    )

    def wait_with_all(parent: Parent) -> None:
        lab.signalfd(signal.SIGKILL)
        lab.block(*(set(range(1, 65)) - {32, 33}))
        parent.report("ready")
        parent.wait(within=30)

    child = lab.fork(wait_with_all)
    child.expect()
    child.kill(signal.SIGKILL)
    lab.must("signalfd-sigkill-sigstop-ignored-in-mask", expected=-signal.SIGKILL, observed=child.end())

    def touch_what_is_not_there(parent: Parent) -> None:
        lab.block(signal.SIGSEGV)
        faults = lab.signalfd(signal.SIGSEGV)
        parent.report(int(lab.poll(faults)))
        region = raw.Region()
        _read_byte(region.end)

    child = lab.fork(touch_what_is_not_there)
    child.expect()
    lab.must("signalfd-sync-fault-not-receivable", expected=-signal.SIGSEGV, observed=child.end())

    def be_sent_one(parent: Parent) -> None:
        lab.block(signal.SIGSEGV)
        faults = lab.signalfd(signal.SIGSEGV)
        lab.send_signal(signal.SIGSEGV)
        readable = lab.poll(faults)
        parent.report([int(readable), *(info.code_name for info in lab.records(faults))])

    events, *codes = lab.fork(be_sent_one).expect()
    lab.must(
        "signalfd-kill-sent-segv-receivable",
        expected=[EPOLLIN, ["SI_USER"]],
        observed=[EpollEvents(events), codes],
    )


def _read_byte(address: int) -> None:
    """Faults, when nothing is mapped there."""
    import ctypes

    ctypes.string_at(address, 1)


CASE = Case(
    variants=(kill_stop_and_faults,),
    claims=(
        Claim(
            "signalfd-sigkill-sigstop-ignored-in-mask",
            "SIGKILL and SIGSTOP are dropped from the mask without an error, and SIGKILL still kills.",
            "signalfd(2) NOTES",
        ),
        Claim(
            "signalfd-sync-fault-not-receivable",
            "A real invalid access with SIGSEGV blocked kills; no record is ever readable.",
            "signalfd(2) Limitations",
        ),
        Claim(
            "signalfd-kill-sent-segv-receivable",
            "A SIGSEGV sent by kill is read like any other signal.",
            "signalfd(2) Limitations",
        ),
    ),
)
