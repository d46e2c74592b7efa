"""ConnectEx wants a socket that is bound already.

What it does        Connects an unbound socket, a bound one, and one to a port where nobody listens.
Why it bites        connect() binds by itself, ConnectEx does not: 10022, which speaks of an argument and not of
                    bind.
What you will see   naive: 10022 and no packet. right: pending, then connected; a refusal is a packet with 1225.
References          Microsoft: ConnectEx; jart/cosmopolitan#1164
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """Not bound."""
    port = lab.port()
    listener, ours = lab.socket(listening=True), lab.socket()
    port.associate(ours, 1)
    error = lab.started(ours.connect, lab.operation(), listener.plain.getsockname())
    lab.must("iocp-connect-unbound-10022", expected=[10022, True], observed=[error, lab.nothing(port)])


def right(lab: "WindowsLab") -> None:
    """Bound."""
    port = lab.port()
    listener, ours = lab.socket(listening=True), lab.socket(bound=True)
    port.associate(ours, 1)
    address = listener.plain.getsockname()
    lab.started(ours.connect, lab.operation(), address)
    packet = lab.packet(port)
    ours.finish_connect()
    lab.must(
        "iocp-connect-bound", expected=[0, True], observed=[packet.error, ours.plain.getpeername() == address]
    )
    listener.close()
    other = lab.socket(bound=True)
    port.associate(other, 2)
    started = lab.started(other.connect, lab.operation(), address)
    error = started if isinstance(started, int) else lab.packet(port, 10).error
    lab.must("iocp-connect-refused-1225", expected=1225, observed=error)
    ours.disconnect(lab.operation())
    lab.must("iocp-disconnect-ends", expected=0, observed=lab.packet(port).error)


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-connect-unbound-10022",
            "ConnectEx of a socket that is not bound fails at once with 10022.",
            "Microsoft: ConnectEx",
        ),
        Claim(
            "iocp-connect-bound",
            "ConnectEx of a bound socket ends when the connection is there.",
            "Microsoft: ConnectEx",
        ),
        Claim("iocp-connect-refused-1225", "A refused connection ends with 1225.", "Microsoft: ConnectEx"),
        Claim("iocp-disconnect-ends", "DisconnectEx ends with a packet.", "Microsoft: DisconnectEx"),
    ),
    needs=("iocp",),
)
