"""A post ends a wait without end.

What it does        Starts a thread that waits without a timeout, sees that it waits, and posts.
Why it bites        This is how a loop is told to do something else. Linux needs an eventfd in the epoll for it.
What you will see   The waiter returns with the packet that was posted.
References          Microsoft: PostQueuedCompletionStatus
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def post_wakes_waiter(lab: "WindowsLab") -> None:
    """One waiter, one post; then three waiters, and one sentinel that each passes on."""
    port = lab.port()
    waiter = lab.thread(port.wait)
    waiting = not waiter.done
    port.post(5, 6, 7)
    lab.must(
        "iocp-post-wakes-infinite-wait", expected=[True, [5, 6, 7]], observed=[waiting, waiter.result()[:3]]
    )

    def worker() -> int:
        packet = port.wait()
        assert packet is not None
        port.post(key=packet.key)
        return packet.key

    workers = [lab.thread(worker) for _ in range(3)]
    port.post(key=99)
    lab.must("iocp-one-sentinel-stops-all", expected=[99] * 3, observed=[one.result() for one in workers])


CASE = Case(
    variants=(post_wakes_waiter,),
    claims=(
        Claim(
            "iocp-post-wakes-infinite-wait",
            "PostQueuedCompletionStatus wakes a thread that waits without a timeout.",
            "Microsoft: PostQueuedCompletionStatus",
        ),
        Claim(
            "iocp-one-sentinel-stops-all",
            "One packet that every worker posts again stops any number of workers.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
