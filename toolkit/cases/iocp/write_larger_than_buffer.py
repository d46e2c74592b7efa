"""A write that does not fit the pipe's buffer ends when it was read.

What it does        Writes 100,000 bytes into a pipe with a buffer of 512, and reads them.
Why it bites        The end of a write means that the data is the pipe's; a writer that frees its buffer when the
                    call returns sends garbage.
What you will see   Pending, no packet until somebody reads, then the whole count.
References          Microsoft: CreateNamedPipe, WriteFile
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_SIZE = 100_000


def write_larger_than_buffer(lab: "WindowsLab") -> None:
    """Write, nothing, read."""
    port = lab.port()
    server, client = lab.pipe(buffer_size=512)
    port.associate(server, 1)
    port.associate(client, 2)
    started = lab.started(server.write, lab.operation(data=b"x" * _SIZE))
    waits = lab.nothing(port)
    got = 0
    written = None
    while got < _SIZE:
        client.read(lab.operation(_SIZE - got))
        packet = lab.packet(port)
        if packet.key == 1:
            written = packet.bytes
            packet = lab.packet(port)
        got += packet.bytes
    if written is None:
        written = lab.packet(port).bytes
    lab.must(
        "iocp-large-write-pends-until-read",
        expected=["PENDING", True, _SIZE, _SIZE],
        observed=[started, waits, got, written],
    )


CASE = Case(
    variants=(write_larger_than_buffer,),
    claims=(
        Claim(
            "iocp-large-write-pends-until-read",
            "A write larger than the pipe's buffer is pending until it was read.",
            "Microsoft: CreateNamedPipe",
        ),
    ),
    needs=("iocp",),
)
