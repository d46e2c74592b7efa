"""A reset is an error with two names: 64 in the packet, 10054 from Winsock.

What it does        Lets the peer reset the connection while a receive is pending, and sends afterwards.
Why it bites        The packet speaks the kernel's language (ERROR_NETNAME_DELETED), WSAGetOverlappedResult
                    Winsock's (WSAECONNRESET). Code that compares with one of them misses the other.
What you will see   64 in the packet, 10054 from WSAGetOverlappedResult, 10054 for what is done with the socket
                    afterwards.
References          Microsoft: WSARecv, WSAGetOverlappedResult
"""

import socket
import struct
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_RESET_ON_CLOSE = struct.pack("<HH", 1, 0)  # struct linger: on, 0 seconds


def socket_reset(lab: "WindowsLab") -> None:
    """Pending, then afterwards."""
    port = lab.port()
    ours, theirs = lab.sockets()
    port.associate(ours, 1)
    operation = lab.operation(16)
    ours.receive(operation)
    theirs.plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    theirs.close()
    packet = lab.packet(port)
    count, flags = lab.ffi.new("DWORD *"), lab.ffi.new("DWORD *")
    done = lab.lib.WSAGetOverlappedResult(ours.handle, operation.overlapped, count, False, flags)
    lab.must("iocp-reset-packet-64", expected=[64, 0], observed=[packet.error, packet.bytes])
    lab.must("iocp-reset-winsock-10054", expected=[0, 10054], observed=[done, lab.last_error()])

    def finished(call: object, operation: object) -> int:
        started = lab.started(call, operation)  # type: ignore[arg-type]  # a bound method
        if isinstance(started, int):
            return started
        after = lab.packet(port)
        return 10054 if after.error == 64 else after.error

    lab.must(
        "iocp-send-after-reset-10054", expected=10054, observed=finished(ours.send, lab.operation(data=b"x"))
    )
    lab.must(
        "iocp-receive-after-reset-10054", expected=10054, observed=finished(ours.receive, lab.operation(4))
    )


CASE = Case(
    variants=(socket_reset,),
    claims=(
        Claim(
            "iocp-reset-packet-64",
            "A reset ends a pending receive with a packet of error 64.",
            "Microsoft: WSARecv",
        ),
        Claim(
            "iocp-reset-winsock-10054",
            "WSAGetOverlappedResult says 10054 for the same operation.",
            "Microsoft: WSAGetOverlappedResult",
        ),
        Claim(
            "iocp-send-after-reset-10054",
            "A send after the reset fails with 10054 (or 64 in its packet).",
            "Microsoft: WSASend",
        ),
        Claim(
            "iocp-receive-after-reset-10054",
            "A receive after the reset fails with 10054 (or 64 in its packet).",
            "Microsoft: WSARecv",
        ),
    ),
    needs=("iocp",),
)
