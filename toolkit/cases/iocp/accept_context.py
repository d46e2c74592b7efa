"""A socket from AcceptEx is whole only after SO_UPDATE_ACCEPT_CONTEXT.

What it does        Accepts with AcceptEx and asks the new socket for its peer: naive at once, right after the
                    option was set with the listener's handle.
Why it bites        The accepted socket does not know that it is connected: getpeername and shutdown fail with
                    10057. The option wants the listener as a SOCKET, 8 bytes on 64-bit systems.
What you will see   naive: 10057. right: the peer's address.
References          Microsoft: AcceptEx; nanomsg/nng#1604; jart/cosmopolitan#1164; microsoft/WSL#40505; tokio-
                    rs/mio#397
"""

import socket
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def _peer(lab: "WindowsLab", *, update: bool) -> list[object]:
    port = lab.port()
    listener, newcomer = lab.socket(listening=True), lab.socket()
    port.associate(listener, 1)
    lab.kept(lab.accept(listener, newcomer))
    with socket.create_connection(listener.plain.getsockname()) as client:
        lab.packet(port)
        if update:
            newcomer.finish_accept(listener)
        try:
            return [0, newcomer.plain.getpeername() == client.getsockname()]
        except OSError as error:
            return [getattr(error, "winerror", error.errno), False]


def naive(lab: "WindowsLab") -> None:
    """At once."""
    lab.must("iocp-accept-without-context-10057", expected=[10057, False], observed=_peer(lab, update=False))


def right(lab: "WindowsLab") -> None:
    """After the option."""
    lab.must("iocp-accept-context-updated", expected=[0, True], observed=_peer(lab, update=True))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-accept-without-context-10057",
            "Before SO_UPDATE_ACCEPT_CONTEXT getpeername of the accepted socket fails with 10057.",
            "Microsoft: AcceptEx",
        ),
        Claim("iocp-accept-context-updated", "After it the socket knows its peer.", "Microsoft: AcceptEx"),
    ),
    needs=("iocp",),
)
