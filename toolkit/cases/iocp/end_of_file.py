"""The end of a file is error 38, at once or in a packet, and never 0 bytes.

What it does        Reads at the end of files of 4,552, 8,192, 0 and 1 bytes, and far beyond the end.
Why it bites        Code from Linux waits for a read of 0 bytes. Here the read fails: from ReadFile itself, with no
                    packet to follow, or by a packet that makes the wait return FALSE. A loop that knows only one of
                    the two hangs or crashes on the other.
What you will see   naive: the packet with 38 is no success, and no packet with 0 bytes ever comes. right: both ways
                    mean the end, also when the size is an exact multiple of the block, and for an empty file.
References          Microsoft: Testing for the End of a File
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_BLOCK = 4096


def naive(lab: "WindowsLab") -> None:
    """Waits for 0 bytes and success."""
    port, file = lab.port(), lab.file(b"x" * _BLOCK)
    port.associate(file, 1)
    operation = lab.operation(_BLOCK, offset=_BLOCK)
    started = lab.started(file.read, operation)
    zero_bytes = 0
    for _ in range(3):
        packet = port.wait(50)
        zero_bytes += packet is not None and packet.error == 0
    lab.must("iocp-eof-is-never-zero-bytes", expected=0, observed=zero_bytes)
    lab.record("iocp-eof-is-never-zero-bytes", started, "how the read at the end began")


def _end(lab: "WindowsLab", size: int, offset: int) -> tuple[int, str]:
    """The error of a read at `offset`, and whether ReadFile or the packet said so."""
    port, file = lab.port(), lab.file(b"x" * size)
    port.associate(file, 1)
    started = lab.started(file.read, lab.operation(_BLOCK, offset=offset))
    if isinstance(started, int):
        return started, "at once" if lab.nothing(port) else "at once and by a packet"
    return lab.packet(port).error, "by a packet"


def right(lab: "WindowsLab") -> None:
    """Takes 38 for the end, whoever says it."""
    sizes = (4552, 8192, 0, 1)
    ends = [_end(lab, size, size) for size in sizes]
    lab.must("iocp-eof-is-38", expected=[38] * len(sizes), observed=[error for error, _ in ends])
    lab.must(
        "iocp-eof-said-once", expected=True, observed=all(how != "at once and by a packet" for _, how in ends)
    )
    beyond = [_end(lab, 100, offset) for offset in (10_000, 2**33)]
    lab.must("iocp-read-beyond-end-is-38", expected=[38, 38], observed=[error for error, _ in beyond])
    lab.record("iocp-eof-said-once", [how for _, how in ends], "who said so")


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-eof-is-never-zero-bytes",
            "No packet with success and 0 bytes tells of the end of a file.",
            "Microsoft: Testing for the End of a File",
        ),
        Claim(
            "iocp-eof-is-38",
            "A read at the end of a file fails with 38, whatever the file's size.",
            "Microsoft: Testing for the End of a File",
        ),
        Claim(
            "iocp-eof-said-once",
            "The end is said once: by ReadFile, with no packet to follow, or by a packet.",
            "Microsoft: Testing for the End of a File",
        ),
        Claim(
            "iocp-read-beyond-end-is-38",
            "A read that begins beyond the end fails with 38.",
            "Microsoft: ReadFile",
        ),
    ),
    needs=("iocp",),
)
