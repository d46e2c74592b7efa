"""What was written before a pipe's close is read first; then comes 109.

What it does        Writes and closes; reads; writes towards a closed end; asks for a pipe that is busy or does not
                    exist.
Why it bites        109 is the end of the stream, not a failure of it. Data that was there before is not lost.
What you will see   The data, then 109 from the call; 232 for a write; 231 and 2 for the open.
References          Microsoft: Named Pipe Operations
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def pipe_ends(lab: "WindowsLab") -> None:
    """Data, end, and what cannot be opened."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    lab.error_of(client.write, lab.operation(data=b"last words"))
    client.close()
    operation = lab.operation(32)
    server.read(operation)
    data = operation.data(lab.packet(port).bytes)
    lab.must(
        "iocp-pipe-data-then-109",
        expected=[b"last words", 109],
        observed=[data, lab.started(server.read, operation)],
    )
    lab.must(
        "iocp-pipe-write-232", expected=232, observed=lab.started(server.write, lab.operation(data=b"x"))
    )
    busy, _ = lab.pipe()
    lab.must("iocp-pipe-busy-231", expected=231, observed=lab.error_of(lab.open, busy.name))
    lab.must("iocp-no-such-pipe-2", expected=2, observed=lab.error_of(lab.open, busy.name + "-not"))


CASE = Case(
    variants=(pipe_ends,),
    claims=(
        Claim(
            "iocp-pipe-data-then-109",
            "Data written before the close is read; the next read fails with 109.",
            "Microsoft: ReadFile",
        ),
        Claim("iocp-pipe-write-232", "A write towards a closed end fails with 232.", "Microsoft: WriteFile"),
        Claim(
            "iocp-pipe-busy-231",
            "Opening a pipe whose instances are all in use fails with 231.",
            "Microsoft: CreateFile",
        ),
        Claim(
            "iocp-no-such-pipe-2", "Opening a pipe that does not exist fails with 2.", "Microsoft: CreateFile"
        ),
    ),
    needs=("iocp",),
)
