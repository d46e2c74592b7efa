"""An empty counter makes a reader wait, unless somebody said not to.

What it does        Reads an empty eventfd three ways: blocking, with EFD_NONBLOCK, and with RWF_NOWAIT on a blocking
                    descriptor.
Why it bites        O_NONBLOCK belongs to every holder of the file, so a library that sets it on a descriptor it was
                    given changes its giver too. RWF_NOWAIT asks for one call only.
What you will see   The blocked read returns 5 once 5 is written, the others fail with EAGAIN, and the flags of the
                    blocking descriptor are untouched.
References          eventfd(2) read(2); preadv2(2) RWF_NOWAIT
"""

import os

from toolkit.ffi.flags import EFD_NONBLOCK
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.calls import described


def blocking_read(lab: Lab) -> None:
    """Three ways to find nothing."""
    nonblocking = lab.eventfd(0, EFD_NONBLOCK)
    lab.must("eventfd-read-zero-nonblock-eagain", expected="EAGAIN", observed=lab.outcome(nonblocking.read))

    blocking = lab.eventfd(0)
    reader = lab.asleep(blocking.read)
    slept = not reader.done
    blocking.write(5)
    lab.must("eventfd-read-zero-blocks-until-write", expected=[True, 5], observed=[slept, reader.result()])

    before = lab.status_flags(blocking)
    outcome = lab.outcome(_read_without_waiting, blocking.fileno())
    if outcome == "EOPNOTSUPP":
        lab.skip("eventfd-rwf-nowait-read-on-blocking-fd", "this kernel's eventfd does not know RWF_NOWAIT")
        return
    lab.must(
        "eventfd-rwf-nowait-read-on-blocking-fd",
        expected=["EAGAIN", before],
        observed=[outcome, lab.status_flags(blocking)],
    )


def _read_without_waiting(fd: int) -> int:
    return described(
        "preadv2",
        f"{fd}, [{{iov_len=8}}], 1, -1, RWF_NOWAIT",
        lambda: os.preadv(fd, [bytearray(8)], -1, os.RWF_NOWAIT),
    )


CASE = Case(
    variants=(blocking_read,),
    claims=(
        Claim(
            "eventfd-read-zero-nonblock-eagain",
            "A non-blocking read at 0 fails with EAGAIN.",
            "eventfd(2) read(2)",
        ),
        Claim(
            "eventfd-read-zero-blocks-until-write",
            "A blocking read at 0 waits for a write.",
            "eventfd(2) read(2)",
        ),
        Claim(
            "eventfd-rwf-nowait-read-on-blocking-fd",
            "preadv2 with RWF_NOWAIT fails with EAGAIN on a blocking eventfd at 0 and leaves its flags alone.",
            "preadv2(2) RWF_NOWAIT",
            "5.8",
        ),
    ),
)
