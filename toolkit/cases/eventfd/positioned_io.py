"""An eventfd has no position, though lseek says nothing against it.

What it does        Calls pread, pwrite and lseek on an eventfd.
Why it bites        Wrappers that turn every read into pread (some I/O frameworks do) fail with ESPIPE, while a probe
                    by lseek calls the file seekable.
What you will see   ESPIPE from pread and pwrite, 0 from lseek, and the counter untouched.
References          pread(2) ERRORS; fs/eventfd.c (noop_llseek)
"""

import os

from toolkit.ffi.flags import EFD_NONBLOCK
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.calls import described


def positioned_io(lab: Lab) -> None:
    """Three calls that want a position."""
    counter = lab.eventfd(4, EFD_NONBLOCK)
    fd = counter.fileno()
    seen = [
        lab.outcome(lambda: described("pread64", f"{fd}, ..., 8, 0", lambda: os.pread(fd, 8, 0))),
        lab.outcome(lambda: described("pwrite64", f"{fd}, ..., 8, 0", lambda: os.pwrite(fd, bytes(8), 0))),
        lab.attempt(
            lambda: described("lseek", f"{fd}, 100, SEEK_SET", lambda: os.lseek(fd, 100, os.SEEK_SET))
        ),
    ]
    lab.must("eventfd-lseek-pread", expected=["ESPIPE", "ESPIPE", 0, 4], observed=[*seen, counter.peek()])


CASE = Case(
    variants=(positioned_io,),
    claims=(
        Claim(
            "eventfd-lseek-pread",
            "pread and pwrite on an eventfd fail with ESPIPE; lseek succeeds and returns 0.",
            "pread(2) ERRORS; fs/eventfd.c",
        ),
    ),
)
