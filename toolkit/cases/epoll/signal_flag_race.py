"""A flag set by a handler, tested before epoll_wait: the signal in between is slept through.

What it does        Tests a flag, lets the signal arrive, and calls epoll_wait, as a loop with "while not stopped"
                    does when the signal hits the gap.
Why it bites        The handler has run and set the flag, and nobody looks at it until the wait is over: the whole
                    timeout later, or never. The gap is a microsecond wide, so tests never hit it and fleets do. Two
                    ways close it: epoll_pwait, which unblocks the signal and goes to sleep in one step, and a
                    descriptor (signalfd, self-pipe, eventfd) that stays readable.
What you will see   naive: the wait lasts its whole timeout with the flag already set. right: with the signal blocked
                    outside epoll_pwait it ends the wait at once with EINTR; a self-pipe ends it with an event.
References          epoll_wait(2) epoll_pwait(); select(2) pselect(), "the self-pipe trick"; booksbyus/zguide#568;
                    python/cpython#2139
"""

import signal

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_TIMEOUT_S = 0.01


def naive(lab: Lab) -> None:
    """Test, signal, wait."""
    epoll = lab.epoll()
    lab.add(epoll, lab.eventfd(), EPOLLIN)
    handled = lab.count_handled(signal.SIGTERM)
    stopped_before = bool(handled)
    lab.send_signal(signal.SIGTERM)
    outcome = lab.attempt(lab.wait, epoll, _TIMEOUT_S)
    lab.must(
        "epoll-signal-before-wait-is-slept-through",
        expected=[False, [], 1],
        observed=[stopped_before, outcome, len(handled)],
        reason="the flag when it was tested; what the wait returned, at its timeout; handler runs",
    )


def right(lab: Lab) -> None:
    """One step; or a descriptor."""
    epoll = lab.epoll()
    lab.add(epoll, lab.eventfd(), EPOLLIN)
    handled = lab.count_handled(signal.SIGTERM)
    lab.block(signal.SIGTERM)
    stopped_before = bool(handled)
    lab.send_signal(signal.SIGTERM)
    lab.must(
        "epoll-pwait-closes-the-gap",
        expected=[False, "EINTR", 1],
        observed=[stopped_before, lab.attempt(lab.pwait, epoll, [], 5.0), len(handled)],
        reason="the flag when it was tested; what the wait returned; handler runs",
    )
    lab.unblock(signal.SIGTERM)
    reader, writer = lab.pipe()
    lab.add(epoll, reader, EPOLLIN)
    lab.handle(signal.SIGUSR1, lambda: lab.write(writer, b"x"))
    lab.send_signal(signal.SIGUSR1)
    lab.must(
        "epoll-self-pipe-closes-the-gap",
        expected=[reader],
        observed=lab.told(epoll, 5.0),
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-signal-before-wait-is-slept-through",
            "A signal handled between the test of a flag and epoll_wait does not end the wait.",
            "epoll_wait(2) epoll_pwait(); select(2)",
        ),
        Claim(
            "epoll-pwait-closes-the-gap",
            "A signal that is blocked but for epoll_pwait ends that wait with EINTR even when it came "
            "before.",
            "epoll_wait(2) epoll_pwait()",
            since="2.6.19",
        ),
        Claim(
            "epoll-self-pipe-closes-the-gap",
            "A handler's write to a pipe that is watched ends the wait, even when it came before.",
            "select(2); pipe(7)",
        ),
    ),
)
