"""A posted packet brings its three words back unchanged, whatever they are.

What it does        Posts counts, keys and OVERLAPPED words at the ends of their ranges, and takes each packet.
Why it bites        Loops put pointers, generation counters and commands into these words. A word that was cut or
                    interpreted on the way would send a completion to somebody else.
What you will see   Every word comes back as it went in, also a pointer to nothing, NULL, and all ones; packets keep
                    the order of their posts.
References          Microsoft: PostQueuedCompletionStatus, GetQueuedCompletionStatus
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def packet_words(lab: "WindowsLab") -> None:
    """Words at the ends of their ranges, then many packets."""
    port = lab.port()
    words = [(0, 0, 0), (0xFFFFFFFF, 2**64 - 1, 2**64 - 1), (7, 1 << 63, 0x1234), (1, 2, 0)]
    for triple in words:
        port.post(*triple)
    taken = [lab.packet(port) for _ in words]
    lab.must("iocp-post-words-kept", expected=words, observed=[packet[:3] for packet in taken])
    lab.must(
        "iocp-post-null-overlapped-is-a-packet",
        expected=[0, 0],
        observed=[taken[0].overlapped, taken[0].error],
    )
    for number in range(1000):
        port.post(key=number)
    order = [lab.packet(port).key for _ in range(1000)]
    lab.must("iocp-packets-first-in-first-out", expected=True, observed=order == list(range(1000)))


CASE = Case(
    variants=(packet_words,),
    claims=(
        Claim(
            "iocp-post-words-kept",
            "The count (32 bits), the key and the OVERLAPPED word (64 bits each) of a post arrive unchanged.",
            "Microsoft: PostQueuedCompletionStatus",
        ),
        Claim(
            "iocp-post-null-overlapped-is-a-packet",
            "A post whose OVERLAPPED word is NULL is taken by a wait that returns TRUE.",
            "Microsoft: PostQueuedCompletionStatus",
        ),
        Claim(
            "iocp-packets-first-in-first-out",
            "Packets are taken in the order in which they were queued.",
            "Microsoft: I/O Completion Ports",
        ),
    ),
    needs=("iocp",),
)
