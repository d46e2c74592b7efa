"""Flags belong to different things: close-on-exec to the number, O_NONBLOCK to everybody.

What it does        Creates eventfds with each flag and without, changes O_NONBLOCK through a duplicate and through a
                    child, and calls the old system call that had no flags argument.
Why it bites        A daemon that sets O_NONBLOCK on an inherited eventfd makes its parent's blocking read fail with
                    EAGAIN; the setting lives in the open file description. And a forgotten EFD_CLOEXEC leaks the
                    counter into every program that is started.
What you will see   Each flag sets what it says and nothing else; unknown bits are EINVAL; the old call ignores what
                    would be flags.
References          eventfd(2) EFD_CLOEXEC, EFD_NONBLOCK, C library/kernel differences; fcntl(2) F_SETFL
"""

import os
import platform

from toolkit.ffi import raw
from toolkit.ffi.flags import EFD_CLOEXEC, EFD_NONBLOCK, EFD_SEMAPHORE
from toolkit.lab import Case, Claim, Lab, Parent

_LEGACY_EVENTFD = {"x86_64": 284, "s390x": 318, "ppc64le": 307}
"""arch/*/kernel/syscalls: newer architectures never had the call without flags."""


def flags(lab: Lab) -> None:
    """What each flag sets."""
    bad = (-1, EFD_SEMAPHORE << 1, os.O_APPEND)
    lab.must(
        "eventfd-bad-flags-einval",
        expected=["EINVAL"] * 3,
        observed=[lab.outcome(lab.eventfd, 0, flag) for flag in bad],
    )
    lab.must(
        "eventfd-cloexec-flag",
        expected=[True, False],
        observed=[lab.is_cloexec(lab.eventfd(0, EFD_CLOEXEC)), lab.is_cloexec(lab.eventfd(0, 0))],
    )
    plain = lab.eventfd(0, 0)
    mode = os.O_RDWR | os.O_NONBLOCK | os.O_APPEND
    lab.must(
        "eventfd-nonblock-flag",
        expected=[os.O_RDWR | os.O_NONBLOCK, os.O_RDWR],
        observed=[lab.status_flags(lab.eventfd(0, EFD_NONBLOCK)) & mode, lab.status_flags(plain) & mode],
    )
    _shared_nonblock(lab)
    _legacy(lab)


def _shared_nonblock(lab: Lab) -> None:
    counter = lab.eventfd(0, 0)
    duplicate = lab.dup(counter)
    seen = [bool(lab.status_flags(counter) & os.O_NONBLOCK)]
    lab.set_nonblocking(duplicate)
    seen.append(bool(lab.status_flags(counter) & os.O_NONBLOCK))

    def clear_it(_parent: Parent) -> None:
        lab.set_nonblocking(counter, False)

    lab.fork(clear_it).end()
    seen.append(bool(lab.status_flags(counter) & os.O_NONBLOCK))
    lab.must(
        "eventfd-nonblock-shared-by-dup",
        expected=[False, True, False],
        observed=seen,
        reason="at first, after F_SETFL on a duplicate, after a child cleared it",
    )


def _legacy(lab: Lab) -> None:
    number = _LEGACY_EVENTFD.get(platform.machine())
    if number is None:
        lab.skip(
            "eventfd-legacy-syscall-ignores-flags", f"{platform.machine()} has no eventfd call without flags"
        )
        return
    fd, error = raw.syscall(number, 3, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)
    if error:
        lab.skip("eventfd-legacy-syscall-ignores-flags", f"the call is not there: errno {error}")
        return
    lab.must(
        "eventfd-legacy-syscall-ignores-flags",
        expected=[False, False, 3],
        observed=[
            lab.is_cloexec(fd),
            bool(lab.status_flags(fd) & os.O_NONBLOCK),
            int.from_bytes(lab.read(fd, 8), "little" if platform.machine() != "s390x" else "big"),
        ],
        reason="close-on-exec, non-blocking, and what one read takes (a semaphore would give 1)",
    )


CASE = Case(
    variants=(flags,),
    claims=(
        Claim(
            "eventfd-bad-flags-einval",
            "Unknown flag bits are refused with EINVAL.",
            "eventfd(2) ERRORS",
            "2.6.27",
        ),
        Claim(
            "eventfd-cloexec-flag",
            "EFD_CLOEXEC sets close-on-exec; without it, it is clear.",
            "eventfd(2)",
            "2.6.27",
        ),
        Claim(
            "eventfd-nonblock-flag",
            "EFD_NONBLOCK sets O_NONBLOCK; without it the status flags are O_RDWR alone.",
            "eventfd(2)",
            "2.6.27",
        ),
        Claim(
            "eventfd-nonblock-shared-by-dup",
            "O_NONBLOCK is shared by duplicates and over fork: it belongs to the open file description.",
            "fcntl(2) F_SETFL",
        ),
        Claim(
            "eventfd-legacy-syscall-ignores-flags",
            "The old eventfd system call has no flags: blocking, not close-on-exec, no semaphore.",
            "eventfd(2) C library/kernel differences",
            "2.6.22",
        ),
    ),
)
