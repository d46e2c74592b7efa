"""One dead peer makes the next receive of a UDP socket fail.

What it does        Sends a datagram to a port where nobody listens, with a receive pending: naive as it is, right
                    with SIO_UDP_CONNRESET off.
Why it bites        The ICMP answer is reported to whoever receives next, so a server stops serving all because one
                    client has gone.
What you will see   naive: the receive fails with 1234 (10054 in Winsock's words). right: it stays pending.
References          Microsoft: Winsock IOCTLs (SIO_UDP_CONNRESET); twisted/twisted#10052; tokio-rs/tokio#2017;
                    golang/go#5834; godotengine/godot#22332
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.iocp import Packet


def _after_sending_to_nobody(lab: "WindowsLab", *, report: bool) -> "Packet | None":
    port = lab.port()
    ours, nobody = lab.datagram_socket(), lab.datagram_socket()
    port.associate(ours, 1)
    if not report:
        off, returned = lab.ffi.new("BOOL *", 0), lab.ffi.new("DWORD *")
        lab.lib.WSAIoctl(
            ours.handle, lab.lib.SIO_UDP_CONNRESET, off, 4, lab.NULL, 0, returned, lab.NULL, lab.NULL
        )
    ours.receive(lab.operation(16))
    address = nobody.plain.getsockname()
    nobody.close()
    ours.plain.sendto(b"anybody?", address)
    return port.wait(500)


def naive(lab: "WindowsLab") -> None:
    """As it is."""
    packet = _after_sending_to_nobody(lab, report=True)
    lab.must("iocp-datagram-peer-gone-1234", expected=1234, observed=packet and packet.error)


def right(lab: "WindowsLab") -> None:
    """Switched off."""
    lab.must("iocp-datagram-reset-off", expected=None, observed=_after_sending_to_nobody(lab, report=False))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-datagram-peer-gone-1234",
            "An ICMP answer to an earlier send ends a pending receive with 1234.",
            "twisted/twisted#10052",
        ),
        Claim(
            "iocp-datagram-reset-off",
            "With SIO_UDP_CONNRESET off the receive stays pending.",
            "Microsoft: Winsock IOCTLs",
        ),
    ),
    needs=("iocp",),
)
