"""AcceptEx ends with the connection, or with its first bytes, or with the listener.

What it does        Accepts without and with room for first bytes, and closes a listener that waits.
Why it bites        With room for data a client that connects and says nothing keeps the operation, and a socket,
                    for ever.
What you will see   A packet at the connection; with room for bytes, none until the client has sent; 995 when the
                    listener closes.
References          Microsoft: AcceptEx
"""

import socket
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def accept(lab: "WindowsLab") -> None:
    """At once, with data, never."""
    port = lab.port()
    listener = lab.socket(listening=True)
    port.associate(listener, 1)
    address = listener.plain.getsockname()
    lab.accept(listener, lab.socket())
    with socket.create_connection(address):
        packet = lab.packet(port)
        lab.must("iocp-accept-ends-with-connection", expected=[0, 0], observed=[packet.error, packet.bytes])
    operation = lab.accept(listener, lab.socket(), 16)
    with socket.create_connection(address) as client:
        silent = port.wait(150) is None
        client.sendall(b"hello")
        packet = lab.packet(port)
        lab.must(
            "iocp-accept-waits-for-first-bytes",
            expected=[True, b"hello"],
            observed=[silent, operation.data(packet.bytes)],
        )
    lab.accept(listener, lab.socket())
    listener.close()
    lab.must("iocp-accept-listener-closed-995", expected=995, observed=lab.packet(port).error)


CASE = Case(
    variants=(accept,),
    claims=(
        Claim(
            "iocp-accept-ends-with-connection",
            "Without room for data AcceptEx ends when a client has connected, with 0 bytes.",
            "Microsoft: AcceptEx",
        ),
        Claim(
            "iocp-accept-waits-for-first-bytes",
            "With room for data AcceptEx ends only when the client has sent some.",
            "Microsoft: AcceptEx",
        ),
        Claim(
            "iocp-accept-listener-closed-995",
            "Closing the listener ends a pending AcceptEx with 995.",
            "Microsoft: AcceptEx",
        ),
    ),
    needs=("iocp",),
)
