"""A message longer than the buffer is a failure that brings data, and a packet.

What it does        Reads messages of a message pipe with a buffer that is too short.
Why it bites        ReadFile says FALSE and 234, which looks like a failure without a packet. The packet comes;
                    taken for another read's, everything after is off by one.
What you will see   FALSE and 234 and a packet with the first bytes; the rest follows with the next read.
References          Microsoft: ReadFile, Named Pipe Type, Read, and Wait Modes
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def message_pipe(lab: "WindowsLab") -> None:
    """There already, then awaited."""
    port = lab.port()
    server, client = lab.pipe(messages=True)
    port.associate(server, 1)
    lab.fill(client, b"messages")
    operation = lab.operation(4)
    done = lab.lib.ReadFile(lab.pointer_of(server), operation.buffer, 4, lab.NULL, operation.overlapped)
    error = lab.last_error()
    packet = lab.packet(port)
    lab.must(
        "iocp-message-too-long-234-and-packet",
        expected=[0, 234, 234, 4],
        observed=[done, error, packet.error, packet.bytes],
    )
    server.read(operation)
    packet = lab.packet(port)
    lab.must(
        "iocp-message-rest-follows",
        expected=[0, b"ages"],
        observed=[packet.error, operation.data(packet.bytes)],
    )


CASE = Case(
    variants=(message_pipe,),
    claims=(
        Claim(
            "iocp-message-too-long-234-and-packet",
            "A read of a message longer than the buffer says FALSE and 234, and queues a packet with 234.",
            "observed",
        ),
        Claim(
            "iocp-message-rest-follows",
            "The rest of the message is read by the next read.",
            "Microsoft: ReadFile",
        ),
    ),
    needs=("iocp",),
)
