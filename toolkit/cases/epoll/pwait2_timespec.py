"""epoll_pwait2: a timeout in nanoseconds, checked before anything else.

What it does        Calls epoll_pwait2 with no timeout, with {0, 0}, with impossible and enormous ones, with a bad
                    pointer; then takes the call away, as an older kernel or a sandbox does.
Why it bites        The timespec is copied and checked first, so a slightly negative remaining time, which epoll_wait
                    takes for "for ever", is EINVAL here, even though events are ready. And before Linux 5.11, or
                    under an old seccomp profile, the call is ENOSYS: a program needs the way back to milliseconds.
What you will see   NULL waits without end, {0, 0} not at all; EINVAL for tv_nsec outside 0..999999999 and for
                    negative seconds; 2^63 - 1 seconds wait; the timespec is left as it was.
References          epoll_wait(2) epoll_pwait2(), VERSIONS; LTP epoll_pwait05, epoll_pwait06; kselftest epoll62
"""

import struct

from toolkit.ffi import linux, raw
from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent, seccomp

_LONGEST = 2**63 - 1
_BILLION = 10**9


def timespec(lab: Lab) -> None:
    """Good ones, bad ones, none, no call at all."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN)
    event = [(eventfd.fileno(), EPOLLIN)]
    for claim, timeout in (
        ("epoll-pwait2-null-timeout-infinite", None),
        ("epoll-pwait2-huge-timeout-not-immediate", (_LONGEST - 1) * _BILLION + _BILLION - 1),
    ):
        waiter = lab.asleep(lab.pwait2, epoll, timeout)
        eventfd.write(1)
        lab.must(claim, expected=event, observed=waiter.result(), reason="asleep until the write")
        eventfd.read()
    idle = lab.pwait2(epoll, 0)
    eventfd.write(1)
    lab.must(
        "epoll-pwait2-zero-timespec-immediate",
        expected=[[], event, event],
        observed=[idle, lab.pwait2(epoll, 0), lab.pwait2(epoll, 0)],
        reason="nothing ready; ready, twice",
    )
    _bad_timespecs(lab, epoll.fileno())
    eventfd.read()
    _left_alone(lab, epoll.fileno())
    _without_the_call(lab)


def _call(epfd: int, region: raw.Region, timeout: int) -> int | str:
    number = linux.compiled.SYS_epoll_pwait2
    result, error = raw.syscall(number, epfd, region.address, 1, timeout, raw.NULL, 8)
    return result if result >= 0 else errno_name(error)


def _bad_timespecs(lab: Lab, epfd: int) -> None:
    bad = ((-1, 0), (0, -1), (0, _BILLION))
    with raw.Region() as region:
        lab.must(
            "epoll-pwait2-invalid-timespec-einval",
            expected=["EINVAL"] * len(bad),
            observed=[_call(epfd, region, region.write(struct.pack("=qq", *spec), 1024)) for spec in bad],
            reason="though an event is ready",
        )
        lab.must(
            "epoll-pwait2-bad-timespec-pointer-efault",
            expected="EFAULT",
            observed=_call(epfd, region, region.end),
        )


def _left_alone(lab: Lab, epfd: int) -> None:
    with raw.Region() as region:
        spec = struct.pack("=qq", 0, 2_000_000)
        result = _call(epfd, region, region.write(spec, 1024))
        lab.must(
            "epoll-pwait2-does-not-modify-timespec",
            expected=[0, (0, 2_000_000)],
            observed=[result, struct.unpack("=qq", region.read(16, 1024))],
        )


def _without_the_call(lab: Lab) -> None:
    """In a child, for the filter stays for ever."""

    def refused(parent: Parent) -> None:
        seccomp.refuse(linux.compiled.SYS_epoll_pwait2, "epoll_pwait2")
        epoll = lab.epoll()
        lab.add(epoll, lab.eventfd(initial=1), EPOLLIN)
        parent.report([lab.outcome(lab.pwait2, epoll, 1_500_000), len(lab.pwait(epoll, None, 0.002))])

    child = lab.fork(refused)
    lab.must(
        "epoll-pwait2-enosys-before-5-11",
        expected=["ENOSYS", 1],
        observed=child.expect(),
        reason="refused by a filter, as older kernels do; then epoll_pwait in its place",
    )
    child.end()


CASE = Case(
    variants=(timespec,),
    claims=(
        Claim(
            "epoll-pwait2-null-timeout-infinite",
            "epoll_pwait2 with a NULL timespec waits until an event.",
            "epoll_wait(2) epoll_pwait2(); kselftest epoll_wakeup_test epoll62",
            since="5.11",
        ),
        Claim(
            "epoll-pwait2-huge-timeout-not-immediate",
            "A timespec near 2^63 seconds does not wrap: it waits.",
            "LTP epoll_pwait06; observed",
            since="5.11",
        ),
        Claim(
            "epoll-pwait2-zero-timespec-immediate",
            "epoll_pwait2 with {0, 0} returns at once, and reports what is ready on every call.",
            "epoll_wait(2) epoll_pwait2()",
            since="5.11",
        ),
        Claim(
            "epoll-pwait2-invalid-timespec-einval",
            "Negative seconds, and nanoseconds outside 0..999999999, are EINVAL even when an event is ready.",
            "LTP epoll_pwait05; fs/eventpoll.c",
            since="5.11",
        ),
        Claim(
            "epoll-pwait2-bad-timespec-pointer-efault",
            "A timespec at a bad address is EFAULT.",
            "observed; fs/eventpoll.c",
            since="5.11",
        ),
        Claim(
            "epoll-pwait2-does-not-modify-timespec",
            "epoll_pwait2 leaves the timespec as it was: it does not tell what remained.",
            "epoll_wait(2) epoll_pwait2()",
            since="5.11",
        ),
        Claim(
            "epoll-pwait2-enosys-before-5-11",
            "Where epoll_pwait2 is missing it is ENOSYS, and epoll_pwait with milliseconds takes its place.",
            "epoll_wait(2) VERSIONS",
            since="5.11",
        ),
    ),
    needs=("epoll_pwait2",),
)
