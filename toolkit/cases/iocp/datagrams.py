"""A datagram that does not fit is cut and says so; an empty one is no end.

What it does        Receives a datagram longer than the buffer, and one of 0 bytes.
Why it bites        0 bytes end a stream, and mean an empty message here. 234 is a failure by its number, and yet
                    brings data.
What you will see   234 with as many bytes as fit; then success with 0 bytes.
References          Microsoft: WSARecv
"""

import socket
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def datagrams(lab: "WindowsLab") -> None:
    """Too long, then empty."""
    port = lab.port()
    receiver = lab.datagram_socket()
    port.associate(receiver, 1)
    operation = lab.operation(4)
    receiver.receive(operation)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"too long", receiver.plain.getsockname())
        packet = lab.packet(port)
        lab.must(
            "iocp-datagram-too-long-234",
            expected=[234, 4, b"too "],
            observed=[packet.error, packet.bytes, operation.data(4)],
        )
        receiver.receive(operation)
        sender.sendto(b"", receiver.plain.getsockname())
        packet = lab.packet(port)
    lab.must("iocp-datagram-empty", expected=[0, 0], observed=[packet.error, packet.bytes])


CASE = Case(
    variants=(datagrams,),
    claims=(
        Claim(
            "iocp-datagram-too-long-234",
            "A datagram longer than the buffer ends the receive with 234 and the bytes that fit.",
            "Microsoft: WSARecv",
        ),
        Claim(
            "iocp-datagram-empty",
            "An empty datagram ends the receive with success and 0 bytes.",
            "Microsoft: WSARecv",
        ),
    ),
    needs=("iocp",),
)
