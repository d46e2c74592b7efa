"""A file beyond 4 GiB needs both halves of the offset.

What it does        Writes two marks into a sparse file, at offset 10 and at 4 GiB + 10, and reads the second one.
Why it bites        Offset has 32 bits; OffsetHigh holds the rest. Forgotten, a read at 4 GiB + 10 silently reads at
                    10: the wrong data, with success.
What you will see   naive: b"LOW!" comes for a read beyond 4 GiB. right: b"HIGH".
References          Microsoft: OVERLAPPED, FSCTL_SET_SPARSE
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_FAR = 2**32 + 10


def _read(lab: "WindowsLab", offset: int) -> bytes:
    port, file = lab.port(), lab.file()
    file.make_sparse()
    port.associate(file, 1)
    for data, place in ((b"LOW!", 10), (b"HIGH", _FAR)):
        file.write(lab.operation(data=data, offset=place))
        lab.packet(port)
    operation = lab.operation(4, offset=offset)
    file.read(operation)
    return operation.data(lab.packet(port).bytes)


def naive(lab: "WindowsLab") -> None:
    """Sets Offset alone."""
    lab.must("iocp-offset-high-forgotten", expected=b"LOW!", observed=_read(lab, _FAR & 0xFFFFFFFF))


def right(lab: "WindowsLab") -> None:
    """Sets both."""
    lab.must("iocp-offset-has-64-bits", expected=b"HIGH", observed=_read(lab, _FAR))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-offset-high-forgotten",
            "Without OffsetHigh a read beyond 4 GiB reads at the offset's low 32 bits, with success.",
            "Microsoft: OVERLAPPED",
        ),
        Claim(
            "iocp-offset-has-64-bits",
            "Offset and OffsetHigh together address the file.",
            "Microsoft: OVERLAPPED",
        ),
    ),
    needs=("iocp",),
)
