"""A read takes the whole counter, whatever was written in however many pieces.

What it does        Makes eventfds with a start value, writes several numbers to one, and reads with buffers of 8 and
                    of 64 bytes.
Why it bites        An eventfd is a sum, not a queue: five notifications read as one number, and a buffer for eight
                    numbers still gets one. Code that expects a record per write miscounts its wake-ups, and a start
                    value is only 32 bits wide although the counter has 64.
What you will see   10 comes back as 10, the writes 1, 2, 4, 7, 14 come back as 28, a 64-byte read returns 8 bytes,
                    and 2^32+5 given to the system call starts the counter at 5.
References          eventfd(2) DESCRIPTION and EXAMPLES
"""

import sys

from toolkit.ffi import linux, raw
from toolkit.ffi.flags import EFD_NONBLOCK
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.eventfd import peek


def counter(lab: Lab) -> None:
    """Start values, sums and buffer sizes."""
    started = lab.eventfd(10, EFD_NONBLOCK)
    lab.must(
        "eventfd-initval-then-read",
        expected=[10, "EAGAIN"],
        observed=[lab.attempt(started.read), lab.attempt(started.read)],
    )

    summed = lab.eventfd(0, EFD_NONBLOCK)
    for value in (1, 2, 4, 7, 14):
        summed.write(value)
    lab.must("eventfd-writes-accumulate", expected=[28, 0], observed=[summed.read(), summed.peek()])

    summed.write(3)
    data = lab.read(summed, 64)
    lab.must(
        "eventfd-read-large-buffer-returns-8",
        expected=[8, 3],
        observed=[len(data), int.from_bytes(data, sys.byteorder)],
    )

    largest = lab.eventfd(2**32 - 1)
    wrapped, _ = raw.syscall(linux.compiled.SYS_eventfd2, 2**32 + 5, 0)
    lab.must("eventfd-initval-is-32-bit", expected=[2**32 - 1, 5], observed=[largest.peek(), peek(wrapped)])


CASE = Case(
    variants=(counter,),
    claims=(
        Claim(
            "eventfd-initval-then-read",
            "A read returns the start value and leaves 0.",
            "eventfd(2) DESCRIPTION",
        ),
        Claim(
            "eventfd-writes-accumulate", "Writes add up, and one read takes the sum.", "eventfd(2) EXAMPLES"
        ),
        Claim(
            "eventfd-read-large-buffer-returns-8",
            "A read with room for eight numbers returns 8 bytes: one number.",
            "eventfd(2) read(2)",
        ),
        Claim(
            "eventfd-initval-is-32-bit",
            "The start value is an unsigned int: 2^32-1 is the largest, and what is above is cut off.",
            "eventfd(2) SYNOPSIS",
        ),
    ),
)
