"""What epoll_wait refuses, and what it lets pass until an event comes.

What it does        Waits on wrong descriptors, with impossible sizes, and into memory that cannot be written.
Why it bites        The array's size is counted in events, not bytes, and the kernel believes it: sizeof(array) for
                    maxevents lets it write past the end. A bad buffer is no error while nothing is ready: the
                    program runs until the first event and dies then. Where the buffer ends half-way, the call
                    succeeds with fewer events, and the one that did not fit is not lost.
What you will see   EBADF, EINVAL for maxevents below 1 or above INT_MAX / sizeof(struct epoll_event), EFAULT when an
                    event meets a bad buffer, 0 when none does.
References          epoll_wait(2) ERRORS; LTP epoll_wait03; fs/eventpoll.c ep_check_params
"""

from toolkit.ffi import linux, raw
from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_INT_MIN = -(2**31)
_LARGEST = (2**31 - 1) // raw.EPOLL_EVENT_SIZE


def wait(lab: Lab) -> None:
    """Descriptors, sizes, buffers."""
    epoll, (reader, _writer) = lab.epoll(), lab.pipe()
    closed = lab.close(lab.dup(reader))
    with raw.Region() as region, raw.Region(writable=False) as read_only:
        good = region.address

        def answer(epfd: int, events: int, maxevents: int, timeout_ms: int = 0) -> int | str:
            result, error = raw.epoll_wait(epfd, events, maxevents, timeout_ms)
            return result if result >= 0 else errno_name(error)

        lab.must(
            "epoll-wait-bad-epfd-ebadf",
            expected=["EBADF", "EBADF"],
            observed=[answer(fd, good, 1) for fd in (-1, closed)],
        )
        lab.must(
            "epoll-wait-not-epoll-einval",
            expected=["EINVAL", "EINVAL"],
            observed=[answer(fd, good, 1) for fd in (reader, lab.eventfd().fileno())],
        )
        number = epoll.fileno()
        sizes = (0, -1, _INT_MIN)
        lab.must(
            "epoll-wait-maxevents-nonpositive-einval",
            expected={call: ["EINVAL"] * 3 for call in ("epoll_wait", "epoll_pwait", "epoll_pwait2")},
            observed={
                "epoll_wait": [answer(number, good, size) for size in sizes],
                "epoll_pwait": [_raw("SYS_epoll_pwait", number, good, size, 0, 0, 8) for size in sizes],
                "epoll_pwait2": [
                    _raw("SYS_epoll_pwait2", number, good, size, region.write(bytes(16), 1024), 0, 8)
                    for size in sizes
                ],
            },
        )
        lab.must(
            "epoll-wait-maxevents-upper-bound",
            expected=[0, "EINVAL"],
            observed=[answer(number, good, _LARGEST), answer(number, good, _LARGEST + 1)],
            reason=f"{_LARGEST} events of {raw.EPOLL_EVENT_SIZE} bytes, and one more",
        )
        lab.must(
            "epoll-wait-bad-buffer-no-event-returns-zero",
            expected=[0, 0],
            observed=[answer(number, address, 1) for address in (region.end, read_only.address)],
        )
        one, two = lab.eventfd(initial=1), lab.eventfd(initial=1)
        lab.add(epoll, one, EPOLLIN, data=1)
        lab.must(
            "epoll-wait-readonly-buffer-efault",
            expected=["EFAULT", "EFAULT"],
            observed=[answer(number, address, 1) for address in (region.end, read_only.address)],
        )
        lab.add(epoll, two, EPOLLIN, data=2)
        last_slot = region.end - raw.EPOLL_EVENT_SIZE
        lab.must(
            "epoll-wait-partial-efault-returns-count",
            expected=[1, 2],
            observed=[answer(number, last_slot, 2), lab.ready_count(epoll)],
            reason="room for one of two; then into a good buffer",
        )


def _raw(name: str, *words: int) -> int | str:
    result, error = raw.syscall(getattr(linux.compiled, name), *words)
    return result if result >= 0 else errno_name(error)


CASE = Case(
    variants=(wait,),
    claims=(
        Claim(
            "epoll-wait-bad-epfd-ebadf",
            "epoll_wait on a number that is not open is EBADF.",
            "epoll_wait(2) EBADF; LTP epoll_wait03",
        ),
        Claim(
            "epoll-wait-not-epoll-einval",
            "epoll_wait on a descriptor that is no epoll is EINVAL.",
            "epoll_wait(2) EINVAL; LTP epoll_wait03",
        ),
        Claim(
            "epoll-wait-maxevents-nonpositive-einval",
            "maxevents below 1 is EINVAL for epoll_wait, epoll_pwait and epoll_pwait2.",
            "epoll_wait(2) EINVAL; LTP epoll_wait03",
        ),
        Claim(
            "epoll-wait-maxevents-upper-bound",
            "maxevents may be up to INT_MAX / sizeof(struct epoll_event), one more is EINVAL.",
            "fs/eventpoll.c EP_MAX_EVENTS",
        ),
        Claim(
            "epoll-wait-bad-buffer-no-event-returns-zero",
            "A buffer that cannot be written goes unnoticed while nothing is ready.",
            "observed; fs/eventpoll.c ep_send_events",
        ),
        Claim(
            "epoll-wait-readonly-buffer-efault",
            "An event for a buffer that cannot be written is EFAULT.",
            "epoll_wait(2) EFAULT; LTP epoll_wait03",
        ),
        Claim(
            "epoll-wait-partial-efault-returns-count",
            "Where the buffer ends after the first of two events, one is returned and the other stays "
            "queued.",
            "observed; fs/eventpoll.c ep_send_events",
        ),
    ),
)
