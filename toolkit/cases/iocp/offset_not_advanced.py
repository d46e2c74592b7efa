"""An overlapped read does not advance anything: without a new Offset it reads the first block for ever.

What it does        Reads a file of 4,552 bytes in blocks of 4,096: naive leaves Offset at 0, right adds what each
                    packet brought.
Why it bites        A file opened for overlapped calls has no file position. The copy loop that works with read(2)
                    never ends, and fills the disk with the first block.
What you will see   naive: the same 4,096 bytes each time, never an end. right: 4,096 and 456 bytes, then the end.
References          Microsoft: ReadFile, OVERLAPPED
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_CONTENT = bytes(range(256)) * 17 + b"tail" * 50
_BLOCK = 4096


def naive(lab: "WindowsLab") -> None:
    """Offset stays 0; bounded, since it would never end."""
    port, file = lab.port(), lab.file(_CONTENT)
    port.associate(file, 1)
    operation = lab.operation(_BLOCK)
    seen = []
    for _ in range(5):
        file.read(operation)
        packet = lab.packet(port)
        seen.append(operation.data(packet.bytes) == _CONTENT[:_BLOCK])
    lab.must("iocp-offset-not-set-first-block-again", expected=[True] * 5, observed=seen)


def right(lab: "WindowsLab") -> None:
    """Offset follows."""
    port, file = lab.port(), lab.file(_CONTENT)
    port.associate(file, 1)
    operation = lab.operation(_BLOCK)
    pieces = []
    for _ in range(2):
        file.read(operation)
        packet = lab.packet(port)
        pieces.append(operation.data(packet.bytes))
        operation.offset += packet.bytes
    lab.must(
        "iocp-offset-is-the-callers",
        expected=[[4096, 456], True],
        observed=[[len(piece) for piece in pieces], b"".join(pieces) == _CONTENT],
    )


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-offset-not-set-first-block-again",
            "A read whose Offset is not changed returns the same bytes again, without an end.",
            "Microsoft: ReadFile",
        ),
        Claim(
            "iocp-offset-is-the-callers",
            "A file opened for overlapped calls is read where the OVERLAPPED says, and only there.",
            "Microsoft: ReadFile",
        ),
    ),
    needs=("iocp",),
)
