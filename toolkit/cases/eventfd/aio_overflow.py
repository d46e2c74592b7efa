"""The kernel alone can push a counter over its limit, and then it reads as an error.

What it does        Fills an eventfd to 2^64-2 and lets a kernel AIO completion signal it (IOCB_FLAG_RESFD).
Why it bites        The kernel does not wait like a writer does: it adds, and the counter reads 2^64-1. poll then says
                    POLLERR, which most loops take for a broken descriptor.
What you will see   POLLIN and POLLERR together, a read of 2^64-1 that clears it, and an ordinary counter after that.
References          eventfd(2) poll(2), select(2); io_submit(2) aio_resfd; LTP eventfd06
"""

import struct
import sys

from toolkit.ffi import linux, raw
from toolkit.ffi.flags import EFD_NONBLOCK, EPOLLERR, EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.eventfd import MAXIMUM

_IOCB_CMD_PREAD = 0
_IOCB_FLAG_RESFD = 1


def aio_overflow(lab: Lab) -> None:
    """One completion too many."""
    counter = lab.eventfd(0, EFD_NONBLOCK)
    counter.write(MAXIMUM)
    refused = _signal_by_aio(lab, lab.file(b"12345678"), counter.fileno())
    if refused:
        lab.skip("eventfd-aio-overflow-pollerr", refused)
        return
    lab.must(
        "eventfd-aio-overflow-pollerr",
        expected=[EPOLLIN | EPOLLERR, "EAGAIN", 2**64 - 1, 0, EPOLLOUT],
        observed=[
            lab.poll(counter, EPOLLIN | EPOLLOUT),
            lab.outcome(counter.write, 1),
            lab.attempt(counter.read),
            counter.peek(),
            lab.poll(counter, EPOLLIN | EPOLLOUT),
        ],
        reason="poll, a write, a read, the count and poll after it",
    )


def _signal_by_aio(lab: Lab, fd: int, resfd: int) -> str | None:
    """Reads 8 bytes of `fd` by AIO with a completion on `resfd`; why it could not, if so."""
    with raw.Region() as region:
        context, buffer, control, pointer = (region.address + offset for offset in (0, 64, 128, 256))
        region.write(bytes(8))
        result, error = raw.syscall(linux.compiled.SYS_io_setup, 1, context)
        if result < 0:
            return f"io_setup fails with {error}: no kernel AIO here"
        order = "Ii" if sys.byteorder == "little" else "iI"
        key = (0, 0)
        region.write(
            struct.pack(
                f"=Q{order}HhIQQqQII",
                0,
                *key,
                _IOCB_CMD_PREAD,
                0,
                fd,
                buffer,
                8,
                0,
                0,
                _IOCB_FLAG_RESFD,
                resfd,
            ),
            128,
        )
        region.write(struct.pack("=Q", control), 256)
        identity = int.from_bytes(region.read(8), sys.byteorder)
        submitted, error = raw.syscall(linux.compiled.SYS_io_submit, identity, 1, pointer)
        if submitted == 1:
            lab.poll(resfd, EPOLLERR, within=1.0)
        raw.syscall(linux.compiled.SYS_io_destroy, identity)
        return None if submitted == 1 else f"io_submit fails with {error}"


CASE = Case(
    variants=(aio_overflow,),
    claims=(
        Claim(
            "eventfd-aio-overflow-pollerr",
            "A completion beyond the limit makes poll say POLLERR, and the read returns 2^64-1 and clears it.",
            "eventfd(2) poll(2)",
        ),
    ),
)
