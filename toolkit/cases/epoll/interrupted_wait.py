"""A signal ends epoll_wait with EINTR, SA_RESTART or not; so does being stopped and continued.

What it does        Runs a signal handler while epoll_wait sleeps, without and with SA_RESTART, and then stops and
                    continues a process that has no handler at all.
Why it bites        epoll_wait is on the list of calls that are never restarted. A loop that takes EINTR for a
                    failure ends when a debugger attaches, when a shell's ^Z is followed by fg, when a laptop wakes
                    up. A loop that retries with the whole timeout waits too long, and one that ignores signals
                    retries for ever.
What you will see   naive: one wait, EINTR three times. right: the wait is repeated for what is left of its time, so a
                    signal and a stop cost two more rounds, and the event arrives.
References          epoll_wait(2) EINTR; signal(7) "Interruption of system calls and library functions by stop
                    signals"; acassen/keepalived#1883; vicinaehq/vicinae#1960; ghedo/pflask#21;
                    travisghansen/fanout#19
"""

import signal
import time
from functools import partial

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent

_PATIENCE_S = 5.0


def naive(lab: Lab) -> None:
    """One wait: a handler, a handler with SA_RESTART, a stop."""

    def wait_in_child(parent: Parent, restart: bool | None) -> None:
        epoll = lab.epoll()
        lab.add(epoll, lab.eventfd(), EPOLLIN)
        handled: list[int] = []
        if restart is not None:
            handled = lab.count_handled(signal.SIGUSR1)
            signal.siginterrupt(signal.SIGUSR1, not restart)
        parent.report()
        outcome = lab.outcome(lab.wait, epoll, _PATIENCE_S)
        parent.report([outcome, len(handled)])

    for claim, restart in (
        ("epoll-wait-signal-eintr", False),
        ("epoll-wait-eintr-despite-sa-restart", True),
    ):
        child = lab.fork(partial(wait_in_child, restart=restart))
        child.expect()
        child.until_asleep()
        child.kill(signal.SIGUSR1)
        lab.must(claim, expected=["EINTR", 1], observed=child.expect(), reason="outcome; handler runs")
        child.end()

    child = lab.fork(partial(wait_in_child, restart=None))
    child.expect()
    child.until_asleep()
    child.kill(signal.SIGSTOP)
    child.until_stopped()
    child.kill(signal.SIGCONT)
    lab.must("epoll-wait-stop-cont-eintr", expected=["EINTR", 0], observed=child.expect())
    child.end()


def right(lab: Lab) -> None:
    """Wait again, for the time that is left."""
    eventfd = lab.eventfd()

    def wait_in_child(parent: Parent) -> None:
        epoll = lab.epoll()
        lab.add(epoll, eventfd, EPOLLIN)
        lab.count_handled(signal.SIGUSR1)
        end = time.monotonic() + _PATIENCE_S
        parent.report("waits")
        while (events := lab.attempt(lab.wait, epoll, max(end - time.monotonic(), 0.0))) == "EINTR":
            parent.report("EINTR")
        parent.report([int(mask) for _, mask in events])

    child = lab.fork(wait_in_child)
    said = [child.expect()]
    child.until_asleep()
    child.kill(signal.SIGUSR1)
    said.append(child.expect())
    child.until_asleep()
    child.kill(signal.SIGSTOP)
    child.until_stopped()
    child.kill(signal.SIGCONT)
    said.append(child.expect())
    child.until_asleep()
    eventfd.write(1)
    said.append(child.expect())
    lab.must(
        "epoll-wait-repeated-after-eintr-gets-the-event",
        expected=["waits", "EINTR", "EINTR", [int(EPOLLIN)]],
        observed=said,
        reason="what the child told of its waits",
    )
    child.end()


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-wait-signal-eintr",
            "A handler that runs during epoll_wait ends it with EINTR.",
            "epoll_wait(2) EINTR; LTP epoll_wait08",
        ),
        Claim(
            "epoll-wait-eintr-despite-sa-restart",
            "epoll_wait is not restarted after a handler, even one installed with SA_RESTART.",
            "signal(7) Interruption of system calls and library functions by signal handlers",
        ),
        Claim(
            "epoll-wait-stop-cont-eintr",
            "SIGSTOP and SIGCONT end epoll_wait with EINTR, without any handler.",
            "signal(7) Interruption of system calls and library functions by stop signals",
        ),
        Claim(
            "epoll-wait-repeated-after-eintr-gets-the-event",
            "A wait that is repeated after EINTR, for the time that is left, returns the event that comes then.",
            "epoll_wait(2) EINTR; PEP 475",
        ),
    ),
)
