"""Every argument that signalfd refuses, and with what.

What it does        Calls signalfd with bad descriptors, descriptors of other kinds, unknown flags, a mask of the wrong
                    size, and a mask at an address that is not there.
Why it bites        -1 means "make one", so a variable that was never set creates a descriptor instead of failing. And
                    a language that passes the C library's 128-byte mask to the system call gets EINVAL for it.
What you will see   EBADF for numbers that are not open, EINVAL for other kinds, flags and sizes, EFAULT for a bad
                    address.
References          signalfd(2) ERRORS, C library/kernel differences
"""

import os

from toolkit.ffi import linux, raw
from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import SFD_NONBLOCK
from toolkit.lab import Case, Claim, Lab

_KERNEL_MASK_SIZE = 8


def bad_arguments(lab: Lab) -> None:
    """One argument wrong at a time."""
    closed = lab.close(lab.dup(0))
    with raw.Region() as region:
        mask = region.write(bytes([1, 0, 0, 0, 0, 0, 0, 0]))

        def call(fd: int, address: int = mask, size: int = _KERNEL_MASK_SIZE, flags: int = 0) -> str:
            result, error = raw.syscall(linux.compiled.SYS_signalfd4, fd, address, size, flags)
            return "ok" if result >= 0 else errno_name(error)

        lab.must("signalfd-bad-fd-ebadf", expected=["EBADF", "EBADF"], observed=[call(-2), call(closed)])
        others = [lab.eventfd().fileno(), lab.pipe()[0], lab.file(), lab.epoll().fileno()]
        lab.must(
            "signalfd-not-signalfd-einval", expected=["EINVAL"] * 4, observed=[call(fd) for fd in others]
        )
        good = lab.signalfd(1).fileno()
        bad_flags = (-1, 1, os.O_APPEND)
        lab.must(
            "signalfd-bad-flags-einval",
            expected=["EINVAL"] * 6,
            observed=[call(fd, flags=flags) for fd in (-1, good) for flags in bad_flags],
            reason="creating, then updating",
        )
        lab.must(
            "signalfd-sizemask-wrong-einval",
            expected=["EINVAL", "EINVAL", "EINVAL", "ok"],
            observed=[call(-1, size=size) for size in (4, 9, 128, _KERNEL_MASK_SIZE)],
        )
        bad = [call(-1, address=address, flags=SFD_NONBLOCK) for address in (raw.NULL, region.end)]
        lab.must(
            "signalfd-mask-pointer-efault-or-einval",
            expected="EFAULT, or EINVAL on older kernels",
            observed=bad,
            holds=set(bad) <= {"EFAULT", "EINVAL"},
        )
        lab.record("signalfd-mask-pointer-efault-or-einval", bad)


CASE = Case(
    variants=(bad_arguments,),
    claims=(
        Claim(
            "signalfd-bad-fd-ebadf",
            "A descriptor other than -1 that is not open is EBADF.",
            "signalfd(2) ERRORS",
        ),
        Claim(
            "signalfd-not-signalfd-einval", "A descriptor of another kind is EINVAL.", "signalfd(2) ERRORS"
        ),
        Claim(
            "signalfd-bad-flags-einval",
            "Unknown flags are EINVAL, when updating too.",
            "signalfd(2) ERRORS",
        ),
        Claim(
            "signalfd-sizemask-wrong-einval",
            "The system call takes a mask of exactly 8 bytes.",
            "signalfd(2) C library/kernel differences",
        ),
        Claim(
            "signalfd-mask-pointer-efault-or-einval",
            "A mask that cannot be read is EFAULT; older kernels said EINVAL.",
            "observed; fs/signalfd.c",
        ),
    ),
)
