"""Eight bytes, or EINVAL: the size is looked at before the counter is.

What it does        Reads and writes an eventfd with buffers of 0, 4, 7, 8 and 16 bytes, at 0 and above.
Why it bites        Emulators and language runtimes accept wrong sizes, so code that passes an int's address works
                    there and fails on Linux. The reverse bites too: a write of 16 bytes passed for a write of 8 on
                    older kernels and is refused by newer ones.
What you will see   EINVAL for anything shorter, before EAGAIN is even considered, with the counter untouched; a zero
                    written is legal and wakes nobody.
References          eventfd(2) ERRORS; rcore-os/tgoskits#1925; gramineproject/gramine#1728; microsoft/mystikos#352
"""

import sys

from toolkit.ffi.flags import EFD_NONBLOCK, EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab


def _word(value: int) -> bytes:
    return value.to_bytes(8, sys.byteorder)


def buffer_sizes(lab: Lab) -> None:
    """Every size that is not 8."""
    counter = lab.eventfd(5, EFD_NONBLOCK)
    lab.must(
        "eventfd-read-short-buffer-einval",
        expected=["EINVAL", "EINVAL", 5],
        observed=[lab.outcome(lab.read, counter, 4), lab.outcome(lab.read, counter, 7), counter.peek()],
    )
    lab.must("eventfd-read-zero-length", expected="EINVAL", observed=lab.outcome(lab.read, counter, 0))
    lab.must(
        "eventfd-write-short-buffer-einval",
        expected=["EINVAL", "EINVAL", 5],
        observed=[
            lab.outcome(lab.write, counter, b"\1\0\0\0"),
            lab.outcome(lab.write, counter, _word(1)[:7]),
            counter.peek(),
        ],
    )
    empty = lab.eventfd(0, EFD_NONBLOCK)
    lab.must(
        "eventfd-short-read-einval-even-when-empty",
        expected=["EINVAL", "EAGAIN"],
        observed=[lab.outcome(lab.read, empty, 4), lab.outcome(lab.read, empty, 8)],
    )
    _long_write(lab)
    _zero_write(lab)


def _long_write(lab: Lab) -> None:
    counter = lab.eventfd(0, EFD_NONBLOCK)
    outcome = lab.outcome(lab.write, counter, _word(3) + _word(4))
    lab.must(
        "eventfd-write-long-buffer",
        expected="EINVAL and 0, or the first 8 bytes taken",
        observed=[outcome, counter.peek()],
        holds=(outcome, counter.peek()) in (("EINVAL", 0), ("ok", 3)),
    )
    lab.record("eventfd-write-long-buffer", "refused" if outcome == "EINVAL" else "first 8 bytes taken")


def _zero_write(lab: Lab) -> None:
    epoll, counter = lab.epoll(), lab.eventfd(0, EFD_NONBLOCK)
    lab.add(epoll, counter, EPOLLIN | EPOLLET)
    written = lab.write(counter, _word(0))
    lab.must(
        "eventfd-write-zero-ok-no-readiness",
        expected=[8, 0, []],
        observed=[written, counter.peek(), lab.ready(epoll)],
    )


CASE = Case(
    variants=(buffer_sizes,),
    claims=(
        Claim(
            "eventfd-read-short-buffer-einval",
            "A read of fewer than 8 bytes fails with EINVAL and takes nothing.",
            "eventfd(2) read(2)",
        ),
        Claim(
            "eventfd-read-zero-length", "A read of 0 bytes is too short as well: EINVAL, not 0.", "observed"
        ),
        Claim(
            "eventfd-short-read-einval-even-when-empty",
            "The size is judged first: a short read of an empty counter is EINVAL, not EAGAIN.",
            "fs/eventfd.c eventfd_read",
        ),
        Claim(
            "eventfd-write-short-buffer-einval",
            "A write of fewer than 8 bytes fails with EINVAL.",
            "eventfd(2) write(2)",
        ),
        Claim(
            "eventfd-write-long-buffer",
            "A write of 16 bytes is refused by newer kernels; older ones took the first 8.",
            "observed; the page only promises EINVAL below 8",
        ),
        Claim(
            "eventfd-write-zero-ok-no-readiness",
            "Writing 0 to an empty counter succeeds and makes nothing readable.",
            "observed",
        ),
    ),
)
