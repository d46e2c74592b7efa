"""Two descriptors, one signal: both are ready, one gets it.

What it does        Makes two signalfds for the same signal, two for different ones, and lets sigtimedwait compete.
Why it bites        Ready is not a promise: whoever reads second finds nothing, and with a blocking descriptor sleeps in
                    the middle of its event loop.
What you will see   Both readable, one record, EAGAIN for the other; different masks sort signals to their own
                    descriptor; sigtimedwait takes the record away, and the descriptor takes it from sigtimedwait.
References          signalfd(2) NOTES; sigtimedwait(2)
"""

import signal

from toolkit.ffi.flags import EPOLLIN, EpollEvents
from toolkit.lab import Case, Claim, Lab

_ONE, _TWO = signal.SIGUSR1, signal.SIGUSR2


def several_descriptors(lab: Lab) -> None:
    """Competing and sorting."""
    lab.block(_ONE, _TWO)
    first, second = lab.signalfd(_ONE), lab.signalfd(_ONE)
    lab.send_signal(_ONE)
    ready = [lab.poll(first), lab.poll(second)]
    lab.must(
        "signalfd-two-fds-same-signal-read-once",
        expected=[EPOLLIN, EPOLLIN, 1, "EAGAIN"],
        observed=[*ready, len(lab.records(first)), lab.outcome(second.read)],
    )
    other = lab.signalfd(_TWO)
    lab.send_signal(_TWO)
    lab.must(
        "signalfd-two-fds-different-masks-demux",
        expected=[EpollEvents(0), EPOLLIN],
        observed=[lab.poll(first), lab.poll(other)],
    )
    taken = signal.sigtimedwait([_TWO], 0)
    stolen = lab.outcome(other.read)
    lab.send_signal(_TWO)
    lab.must(
        "signalfd-sigwait-consumes-record",
        expected=[_TWO, "EAGAIN", 1, None],
        observed=[
            taken.si_signo if taken else None,
            stolen,
            len(lab.records(other)),
            signal.sigtimedwait([_TWO], 0),
        ],
    )


CASE = Case(
    variants=(several_descriptors,),
    claims=(
        Claim(
            "signalfd-two-fds-same-signal-read-once",
            "Two signalfds of one signal are both readable; the record is read from one only.",
            "signalfd(2) NOTES",
        ),
        Claim(
            "signalfd-two-fds-different-masks-demux",
            "With different masks only the matching descriptor becomes readable.",
            "signalfd(2) NOTES",
        ),
        Claim(
            "signalfd-sigwait-consumes-record",
            "sigtimedwait takes a pending signal from the signalfd, and the other way round.",
            "signalfd(2) NOTES",
        ),
    ),
)
