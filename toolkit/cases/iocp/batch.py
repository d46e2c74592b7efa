"""A batch wait takes what is there, up to its size; its count says nothing after a failure.

What it does        Queues packets and takes them in batches with GetQueuedCompletionStatusEx; then waits on the
                    empty port.
Why it bites        The count is an output like any other: after FALSE it holds whatever it held, or worse. A loop
                    that reads it anyway handles entries of its last round again.
What you will see   Batches of at most the array's size, in order, and an empty list at the timeout. What the count
                    holds then is recorded.
References          Microsoft: GetQueuedCompletionStatusEx
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def batch(lab: "WindowsLab") -> None:
    """Ten packets in batches of four, then none."""
    port = lab.port()
    for number in range(10):
        port.post(key=number)
    sizes = [[packet.key for packet in port.wait_many(4, 1000)] for _ in range(2)]
    rest = [packet.key for packet in port.wait_many(64, 1000)]
    lab.must("iocp-batch-up-to-size", expected=[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]], observed=[*sizes, rest])
    lab.must("iocp-batch-timeout-258", expected=[], observed=port.wait_many(4, 0))
    entries, removed = lab.ffi.new("OVERLAPPED_ENTRY[4]"), lab.ffi.new("ULONG *", 99)
    result = lab.lib.GetQueuedCompletionStatusEx(lab.pointer_of(port), entries, 4, removed, 0, False)
    lab.must("iocp-batch-timeout-258", expected=[0, 258], observed=[result, lab.last_error()])
    lab.record("iocp-batch-timeout-258", removed[0], "the count after FALSE: never to be read")


CASE = Case(
    variants=(batch,),
    claims=(
        Claim(
            "iocp-batch-up-to-size",
            "GetQueuedCompletionStatusEx takes the packets there are, in order, up to the size of its array.",
            "Microsoft: GetQueuedCompletionStatusEx",
        ),
        Claim(
            "iocp-batch-timeout-258",
            "At its timeout it returns FALSE with error 258, and nothing was taken.",
            "Microsoft: GetQueuedCompletionStatusEx",
        ),
    ),
    needs=("iocp",),
)
