"""Who sent it, how, and with what: every way to send leaves its own marks.

What it does        Sends signals by kill, by pthread_kill, by sigqueue with a 64-bit value, by rt_sigqueueinfo with a
                    code of its own, by an interval timer, by a POSIX timer, and by writing to a pipe nobody reads.
Why it bites        Trusting ssi_pid without looking at ssi_code is trusting 0, or a number some library put there.
                    A value sent as int and read as pointer, or the reverse, is only half right.
What you will see   ssi_code tells the ways apart: SI_USER, SI_TKILL, SI_QUEUE, SI_KERNEL, SI_TIMER; ssi_ptr has all 64
                    bits and ssi_int the low half, signed; a timer's missed expirations are in ssi_overrun.
References          signalfd(2) struct signalfd_siginfo; sigaction(2) si_code; rt_sigqueueinfo(2); timer_create(2)
"""

import os
import signal
import threading

from toolkit.ffi.siginfo import SigInfo
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.timers import expire_interval_timer, overrunning_posix_timer, queue_with_code
from toolkit.primitives.signalfd import SignalFd

_VALUE = 0x1122334455667788
_NEGATIVE = 0xFFFFFFFF_FFFFFFFE
_OWN_CODE = -77


def siginfo_of_senders(lab: Lab) -> None:
    """One way after the other."""
    numbers = (signal.SIGUSR1, signal.SIGRTMIN, signal.SIGALRM, signal.SIGPIPE)
    lab.block(*numbers)
    fd = lab.signalfd(*numbers)
    me, user = os.getpid(), os.getuid()

    lab.send_signal(signal.SIGUSR1)
    info = _one(lab, fd)
    lab.must(
        "signalfd-ssi-kill",
        expected=["SI_USER", me, user, 0],
        observed=[info.code_name, info.ssi_pid, info.ssi_uid, info.ssi_errno],
    )
    lab.kill_thread(threading.get_ident(), signal.SIGUSR1)
    info = _one(lab, fd)
    lab.must("signalfd-ssi-tgkill", expected=["SI_TKILL", me], observed=[info.code_name, info.ssi_pid])

    lab.queue(signal.SIGRTMIN, _VALUE)
    lab.queue(signal.SIGRTMIN, _NEGATIVE)
    whole, negative = (*lab.records(fd), _NOTHING, _NOTHING)[:2]
    lab.must(
        "signalfd-ssi-sigqueue-int-ptr",
        expected=["SI_QUEUE", _VALUE, 0x55667788, _NEGATIVE, -2],
        observed=[whole.code_name, whole.ssi_ptr, whole.ssi_int, negative.ssi_ptr, negative.ssi_int],
    )
    queue_with_code(signal.SIGRTMIN, _OWN_CODE)
    lab.must("signalfd-ssi-rt-sigqueueinfo-custom-code", expected=_OWN_CODE, observed=_one(lab, fd).ssi_code)
    _timers(lab, fd)
    _broken_pipe(lab, fd)
    lab.skip("signalfd-ssi-lsb-sigbus", "needs the machine to report a memory failure")


def _timers(lab: Lab, fd: SignalFd) -> None:
    expire_interval_timer()
    lab.poll(fd, within=1.0)
    info = _one(lab, fd)
    lab.must(
        "signalfd-ssi-setitimer-si-kernel", expected=["SI_KERNEL", 0], observed=[info.code_name, info.ssi_pid]
    )

    with overrunning_posix_timer(signal.SIGRTMIN) as (identity, value):
        info = _one(lab, fd)
    lab.must(
        "signalfd-ssi-posix-timer",
        expected=["SI_TIMER", identity, value, "missed expirations counted"],
        observed=[
            info.code_name,
            info.ssi_tid,
            info.ssi_int,
            "missed expirations counted" if info.ssi_overrun else 0,
        ],
    )
    lab.record("signalfd-ssi-posix-timer", info.ssi_overrun, "missed expirations")


def _broken_pipe(lab: Lab, fd: SignalFd) -> None:
    reader, writer = lab.pipe()
    lab.close(reader)
    outcome = lab.outcome(lab.write, writer, b"x")
    info = _one(lab, fd)
    lab.must(
        "signalfd-sigpipe-record-and-epipe",
        expected=["EPIPE", signal.SIGPIPE, os.getpid()],
        observed=[outcome, info.ssi_signo, info.ssi_pid],
    )


_NOTHING = SigInfo(*[0] * 20)


def _one(lab: Lab, fd: SignalFd) -> SigInfo:
    """The one record there must be; zeros when there is none."""
    return next(iter(lab.records(fd, 1)), _NOTHING)


CASE = Case(
    variants=(siginfo_of_senders,),
    claims=(
        Claim(
            "signalfd-ssi-kill",
            "kill gives SI_USER with the sender's pid and uid.",
            "signalfd(2); sigaction(2)",
        ),
        Claim("signalfd-ssi-tgkill", "pthread_kill and raise give SI_TKILL.", "sigaction(2) si_code"),
        Claim(
            "signalfd-ssi-sigqueue-int-ptr",
            "sigqueue gives SI_QUEUE with the whole value in ssi_ptr and its signed low half in ssi_int.",
            "signalfd(2)",
            "2.6.25",
        ),
        Claim(
            "signalfd-ssi-rt-sigqueueinfo-custom-code",
            "A negative code chosen by the sender of rt_sigqueueinfo arrives as it is.",
            "rt_sigqueueinfo(2)",
        ),
        Claim(
            "signalfd-ssi-setitimer-si-kernel",
            "An interval timer gives SI_KERNEL and pid 0.",
            "sigaction(2) si_code",
        ),
        Claim(
            "signalfd-ssi-posix-timer",
            "A POSIX timer gives SI_TIMER with its id, its value, and how many expirations were missed.",
            "signalfd(2) ssi_tid, ssi_overrun",
        ),
        Claim(
            "signalfd-sigpipe-record-and-epipe",
            "A write to a pipe without readers returns EPIPE and, SIGPIPE blocked, leaves a record.",
            "observed; pipe(7)",
        ),
        Claim(
            "signalfd-ssi-lsb-sigbus",
            "A reported memory failure fills ssi_addr and ssi_addr_lsb.",
            "signalfd(2) ssi_addr_lsb",
            "2.6.37",
        ),
    ),
)
