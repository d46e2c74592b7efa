"""A write goes where its OVERLAPPED says; all ones means the end of the file.

What it does        Writes in the middle, at offset 2^64-1, and 0 bytes.
Why it bites        Several writers that append must not compute offsets themselves: the value 2^64-1 appends
                    atomically. Nothing advances by itself.
What you will see   Each write ends with its count, and the file holds what the offsets say.
References          Microsoft: WriteFile
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def write_places(lab: "WindowsLab") -> None:
    """Middle, end, nothing."""
    port = lab.port()
    path = lab.path(b"0123456789")
    file = lab.open(path, write=True)
    port.associate(file, 1)
    counts = []
    for data, offset in ((b"ab", 3), (b"END", 2**64 - 1), (b"", 0)):
        file.write(lab.operation(data=data, offset=offset))
        packet = lab.packet(port)
        counts.append([packet.error, packet.bytes])
    lab.must("iocp-write-counts", expected=[[0, 2], [0, 3], [0, 0]], observed=counts)
    lab.must("iocp-write-at-offset-and-append", expected=b"012ab56789END", observed=path.read_bytes())


CASE = Case(
    variants=(write_places,),
    claims=(
        Claim(
            "iocp-write-counts",
            "The packet of a write brings the number of bytes written, 0 for a write of nothing.",
            "Microsoft: WriteFile",
        ),
        Claim(
            "iocp-write-at-offset-and-append",
            "A write goes to its offset; the offset 2^64-1 appends.",
            "Microsoft: WriteFile",
        ),
    ),
    needs=("iocp",),
)
