"""Whole records, as many as fit and are there.

What it does        Reads with buffers that hold less than one record, two and a half, four, and thirty-two; with
                    something pending and with nothing; blocking, non-blocking and with RWF_NOWAIT.
Why it bites        A buffer for one record makes one system call a signal; a buffer that is a byte too short fails
                    with EINVAL although a signal is there.
What you will see   The size rounded down to whole records, all pending ones in one read, and a blocking read that
                    waits for the first record only.
References          signalfd(2) DESCRIPTION, ERRORS; preadv2(2) RWF_NOWAIT
"""

import os
import signal

from toolkit.ffi.flags import SFD_CLOEXEC
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.calls import described

_NUMBER = signal.SIGRTMIN


def read_sizes(lab: Lab) -> None:
    """Sizes, then waiting."""
    lab.block(_NUMBER)
    fd = lab.signalfd(_NUMBER)
    lab.queue(_NUMBER)
    lab.must(
        "signalfd-short-read-einval",
        expected=["EINVAL", "EINVAL", [_NUMBER]],
        observed=[lab.outcome(lab.read, fd, 127), lab.outcome(lab.read, fd, 0), lab.pending()],
        reason="127 bytes, 0 bytes, and the signal that stays pending",
    )
    for _ in range(2):
        lab.queue(_NUMBER)
    lab.must(
        "signalfd-odd-size-read-rounds-down", expected=256, observed=_size(lab.attempt(lab.read, fd, 300))
    )
    for _ in range(4):
        lab.queue(_NUMBER)
    lab.must("signalfd-multi-record-read", expected=640, observed=_size(lab.attempt(lab.read, fd, 4096)))
    lab.must("signalfd-empty-nonblock-eagain", expected="EAGAIN", observed=lab.outcome(fd.read))
    _waiting(lab)


def _size(data: bytes | str) -> int | str:
    return len(data) if isinstance(data, bytes) else data


def _waiting(lab: Lab) -> None:
    blocking = lab.signalfd(_NUMBER, flags=SFD_CLOEXEC)
    lab.queue(_NUMBER)
    lab.must("signalfd-multi-read-blocks-only-for-first", expected=1, observed=len(blocking.read(4)))

    reader = lab.asleep(blocking.read, 4)
    slept = not reader.done
    lab.queue(_NUMBER, 7)
    lab.must(
        "signalfd-empty-blocks",
        expected=[True, [7]],
        observed=[slept, [record.ssi_int for record in reader.result()]],
    )
    fd = blocking.fileno()
    outcome = lab.outcome(
        lambda: described(
            "preadv2",
            f"{fd}, [{{iov_len=128}}], 1, -1, RWF_NOWAIT",
            lambda: os.preadv(fd, [bytearray(128)], -1, os.RWF_NOWAIT),
        )
    )
    lab.must(
        "signalfd-rwf-nowait",
        expected="EAGAIN, or EOPNOTSUPP on older kernels",
        observed=outcome,
        holds=outcome in ("EAGAIN", "EOPNOTSUPP"),
    )
    lab.record("signalfd-rwf-nowait", outcome)


CASE = Case(
    variants=(read_sizes,),
    claims=(
        Claim(
            "signalfd-short-read-einval",
            "A read of less than 128 bytes fails with EINVAL and leaves the signal pending.",
            "signalfd(2) ERRORS",
        ),
        Claim(
            "signalfd-odd-size-read-rounds-down",
            "A read of 300 bytes gives two records.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-multi-record-read",
            "One read gives every pending record that fits.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-empty-nonblock-eagain",
            "A non-blocking read with nothing pending fails with EAGAIN.",
            "signalfd(2)",
        ),
        Claim(
            "signalfd-multi-read-blocks-only-for-first",
            "A blocking read with room for four returns the one that is there.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-empty-blocks",
            "A blocking read waits until a signal of its mask comes.",
            "signalfd(2) DESCRIPTION",
        ),
        Claim(
            "signalfd-rwf-nowait",
            "preadv2 with RWF_NOWAIT on a blocking signalfd fails instead of waiting.",
            "preadv2(2) RWF_NOWAIT",
            "6.10 for EAGAIN",
        ),
    ),
)
