"""EPOLL_CTL_DEL queued in an io_uring, and the descriptor closed before it is submitted.

What it does        Queues a DEL through io_uring, closes the descriptor, whose file has a dup, and then submits.
Why it bites        Batching epoll_ctl through io_uring saves system calls, and moves the DEL behind the close(). By
                    then the number is closed, so the DEL fails, and since somebody else holds the file, the entry
                    stays and reports for ever: the dup-close-stale trap, sprung by an optimisation.
What you will see   naive: the DEL completes with -EBADF and every wait reports the closed number. right: submit, see
                    it complete with 0, then close().
References          io_uring_enter(2) IORING_OP_EPOLL_CTL; libuv/libuv#4323 and #4638; OFFTKP/felix86#361
"""

import errno

from toolkit.ffi.flags import EPOLL_CTL_DEL, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.uring import Ring
from toolkit.primitives.epoll import Epoll


def _registered_with_a_dup(lab: Lab) -> tuple[Ring, Epoll, int]:
    ring, epoll, (reader, writer) = Ring(), lab.epoll(), lab.pipe()
    lab.write(writer, b"unread")
    lab.add(epoll, reader, EPOLLIN)
    lab.dup(reader)
    ring.queue_epoll_ctl(epoll.fileno(), EPOLL_CTL_DEL, reader)
    return ring, epoll, reader


def _shown(result: int) -> str:
    return "0" if result == 0 else f"-{errno.errorcode.get(-result, result)}"


def naive(lab: Lab) -> None:
    """Queue, close, submit."""
    ring, epoll, reader = _registered_with_a_dup(lab)
    lab.close(reader)
    result = ring.submit()
    if result == -errno.EINVAL:
        lab.skip_rest("this kernel's io_uring has no IORING_OP_EPOLL_CTL")
    lab.must(
        "io-uring-epoll-del-after-close-ebadf",
        expected=["-EBADF", [reader], [reader]],
        observed=[_shown(result), lab.told(epoll), lab.told(epoll)],
        reason="how the DEL completed; two waits",
    )


def right(lab: Lab) -> None:
    """Queue, submit, close."""
    ring, epoll, reader = _registered_with_a_dup(lab)
    result = ring.submit()
    if result == -errno.EINVAL:
        lab.skip_rest("this kernel's io_uring has no IORING_OP_EPOLL_CTL")
    lab.close(reader)
    lab.must(
        "io-uring-epoll-del-before-close-ok",
        expected=["0", []],
        observed=[_shown(result), lab.told(epoll)],
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "io-uring-epoll-del-after-close-ebadf",
            "A DEL that io_uring carries out after close() is EBADF, and the entry stays while a dup lives.",
            "io_uring_enter(2) IORING_OP_EPOLL_CTL; epoll(7) Q7",
            since="5.6",
        ),
        Claim(
            "io-uring-epoll-del-before-close-ok",
            "A DEL that io_uring has completed before close() removes the entry.",
            "io_uring_enter(2) IORING_OP_EPOLL_CTL",
            since="5.6",
        ),
    ),
    needs=("io_uring",),
)
