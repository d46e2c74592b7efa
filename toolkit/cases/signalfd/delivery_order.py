"""Not in the order sent: faults first, then by number, and a thread's own before the process's.

What it does        Leaves several signals pending and reads them all.
Why it bites        A protocol that relies on SIGTERM being read before a SIGUSR1 sent later is wrong on every run.
What you will see   Ascending numbers whatever the order of sending; a SIGSEGV sent by kill before SIGHUP; a signal
                    directed at the thread before a lower-numbered one directed at the process.
References          signal(7) Real-time signals; kernel/signal.c next_signal, dequeue_signal
"""

import os
import signal
import threading

from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.signalfd import SignalFd


def delivery_order(lab: Lab) -> None:
    """Three orders."""
    mixed = (signal.SIGRTMIN + 1, signal.SIGRTMIN, signal.SIGTERM, signal.SIGUSR1)
    faults = (signal.SIGHUP, signal.SIGSEGV)
    lab.block(*mixed, *faults)
    fd = lab.signalfd(*mixed, *faults)

    for number in mixed:
        lab.queue(number)
    lab.must(
        "signalfd-delivery-order-lowest-number-first", expected=sorted(mixed), observed=_numbers(lab, fd)
    )

    for number in faults:
        lab.send_signal(number)
    lab.must(
        "signalfd-sync-class-signals-first",
        expected=[signal.SIGSEGV, signal.SIGHUP],
        observed=_numbers(lab, fd),
    )

    lab.kill(os.getpid(), signal.SIGUSR1)
    lab.kill_thread(threading.get_ident(), signal.SIGTERM)
    lab.must(
        "signalfd-private-before-shared",
        expected=[signal.SIGTERM, signal.SIGUSR1],
        observed=_numbers(lab, fd),
    )


def _numbers(lab: Lab, fd: SignalFd) -> list[int]:
    return [record.ssi_signo for record in lab.records(fd)]


CASE = Case(
    variants=(delivery_order,),
    claims=(
        Claim(
            "signalfd-delivery-order-lowest-number-first",
            "Pending signals are read in ascending number; signal(7) promises it for real-time signals only.",
            "signal(7) Real-time signals",
        ),
        Claim(
            "signalfd-sync-class-signals-first",
            "A pending signal of the fault class is read before a lower-numbered one.",
            "kernel/signal.c SYNCHRONOUS_MASK",
        ),
        Claim(
            "signalfd-private-before-shared",
            "A signal directed at the thread is read before one directed at the process, whatever their numbers.",
            "kernel/signal.c dequeue_signal",
        ),
    ),
)
