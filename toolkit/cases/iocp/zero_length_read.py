"""A read of 0 bytes succeeds with 0 bytes, also where the file ends.

What it does        Reads 0 bytes in the middle of a file and at its end.
Why it bites        0 bytes is no end of file here: code that takes it for one stops early when somebody asks for
                    nothing.
What you will see   A packet with success and 0 bytes, both times.
References          Microsoft: ReadFile
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def zero_length_read(lab: "WindowsLab") -> None:
    """In the middle, then at the end."""
    port, file = lab.port(), lab.file(b"12345")
    port.associate(file, 1)
    seen = []
    for offset in (2, 5):
        file.read(lab.operation(0, offset=offset))
        packet = lab.packet(port)
        seen.append([packet.error, packet.bytes])
    lab.must("iocp-zero-length-read-succeeds", expected=[[0, 0], [0, 0]], observed=seen)


CASE = Case(
    variants=(zero_length_read,),
    claims=(
        Claim(
            "iocp-zero-length-read-succeeds",
            "A read of 0 bytes ends with success and 0 bytes, also at the end of the file.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
