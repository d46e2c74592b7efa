"""At 2^64-2 a write waits or fails; it never wraps and never loses what was there.

What it does        Fills an eventfd to its limit and writes more: without blocking, with blocking, with 0 and with
                    the one value that is always refused.
Why it bites        A signaller that nobody reads from stops at the limit: a blocking one hangs in write(2), a
                    non-blocking one must cope with EAGAIN. Whoever retries after reading only once may wait again.
What you will see   EAGAIN with the counter unchanged, EINVAL for 2^64-1, a blocked writer that goes on when somebody
                    reads, EPOLLOUT gone at the limit, and a write of 0 that always succeeds.
References          eventfd(2) write(2), poll(2); diwic/shmem-ipc#3; netty/netty#9192; libkrun/libkrun#171
"""

from toolkit.ffi.flags import EFD_NONBLOCK, EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.eventfd import MAXIMUM


def overflow(lab: Lab) -> None:
    """One counter, at its limit."""
    full = lab.eventfd(0, EFD_NONBLOCK)
    full.write(MAXIMUM)
    lab.must("eventfd-write-max-minus-one-ok", expected=MAXIMUM, observed=full.peek())
    lab.must(
        "eventfd-write-overflow-nonblock-eagain",
        expected=["EAGAIN", MAXIMUM],
        observed=[lab.outcome(full.write, 1), full.peek()],
    )
    lab.must(
        "eventfd-write-zero-at-max-succeeds",
        expected=["ok", MAXIMUM],
        observed=[lab.outcome(full.write, 0), full.peek()],
    )
    empty = lab.eventfd(0, EFD_NONBLOCK)
    lab.must(
        "eventfd-write-all-ones-einval",
        expected=["EINVAL", "EINVAL"],
        observed=[lab.outcome(full.write, 2**64 - 1), lab.outcome(empty.write, 2**64 - 1)],
        reason="at the limit and at 0",
    )
    lab.must(
        "eventfd-select-readiness",
        expected=[EPOLLIN, EPOLLOUT],
        observed=[lab.poll(one, EPOLLIN | EPOLLOUT) for one in (full, empty)],
        reason="at the limit and at 0",
    )
    empty.write(1)
    lab.must(
        "eventfd-select-readiness",
        expected=EPOLLIN | EPOLLOUT,
        observed=lab.poll(empty, EPOLLIN | EPOLLOUT),
        reason="in between",
    )
    _blocked_writer(lab)


def _blocked_writer(lab: Lab) -> None:
    blocking = lab.eventfd(0)
    blocking.write(MAXIMUM)
    writer = lab.asleep(blocking.write, 1)
    slept = not writer.done
    taken = blocking.read()
    writer.result()
    lab.must(
        "eventfd-write-overflow-blocks-until-read",
        expected=[True, MAXIMUM, 1],
        observed=[slept, taken, blocking.peek()],
    )


CASE = Case(
    variants=(overflow,),
    claims=(
        Claim(
            "eventfd-write-max-minus-one-ok",
            "2^64-2 is the largest count, and can be written.",
            "eventfd(2) write(2)",
        ),
        Claim(
            "eventfd-write-overflow-nonblock-eagain",
            "A non-blocking write past the limit fails with EAGAIN and changes nothing.",
            "eventfd(2) write(2)",
        ),
        Claim(
            "eventfd-write-overflow-blocks-until-read",
            "A blocking write past the limit waits until a read makes room, then adds.",
            "eventfd(2) write(2)",
        ),
        Claim(
            "eventfd-write-all-ones-einval",
            "2^64-1 is refused with EINVAL at any count.",
            "eventfd(2) write(2)",
        ),
        Claim("eventfd-write-zero-at-max-succeeds", "Writing 0 at the limit succeeds at once.", "observed"),
        Claim(
            "eventfd-select-readiness",
            "An eventfd is readable above 0 and writable below 2^64-2.",
            "eventfd(2) poll(2), select(2)",
        ),
    ),
)
