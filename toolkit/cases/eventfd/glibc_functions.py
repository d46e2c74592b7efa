"""eventfd_read and eventfd_write say 0 or -1, not how many bytes.

What it does        Calls the two convenience functions of the C library on a counter that has something and on one
                    that has not.
Why it bites        Whoever checks `== 8`, as for read(2), takes every success for a failure.
What you will see   0 on success, -1 with errno on failure.
References          eventfd(2) Additional glibc features
"""

import ctypes

from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import EFD_NONBLOCK
from toolkit.lab import Case, Claim, Lab


def glibc_functions(lab: Lab) -> None:
    """The two functions, twice each."""
    counter = lab.eventfd(0, EFD_NONBLOCK)
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "eventfd_read"):
        lab.skip("eventfd-glibc-helpers", "this C library has no eventfd_read")
        return
    value = ctypes.c_uint64()
    libc.eventfd_write.argtypes = [ctypes.c_int, ctypes.c_uint64]
    seen = [
        libc.eventfd_write(counter.fileno(), 6),
        libc.eventfd_read(counter.fileno(), ctypes.byref(value)),
        value.value,
        libc.eventfd_read(counter.fileno(), ctypes.byref(value)),
        errno_name(ctypes.get_errno()),
    ]
    lab.must("eventfd-glibc-helpers", expected=[0, 0, 6, -1, "EAGAIN"], observed=seen)


CASE = Case(
    variants=(glibc_functions,),
    claims=(
        Claim(
            "eventfd-glibc-helpers",
            "eventfd_read and eventfd_write return 0 for a whole transfer and -1 otherwise.",
            "eventfd(2) Additional glibc features",
            "glibc 2.8",
        ),
    ),
)
