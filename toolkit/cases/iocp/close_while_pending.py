"""Closing a handle ends what is pending on it, with an error that depends on the kind of handle.

What it does        Closes pipe ends and a socket while a read is pending, on either side.
Why it bites        The packet still comes, after the handle is gone, and its error is how code tells its own close
                    from a peer's reset: for sockets the documented 995 is not what everybody observes.
What you will see   A failed packet for each: 109 for the pipe's other end, 995 for the socket.
References          Microsoft: closesocket, CloseHandle; cppalliance/corosio#98
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def close_while_pending(lab: "WindowsLab") -> None:
    """The other end, our end, a socket."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    server.read(lab.operation(4))
    client.close()
    lab.must("iocp-peer-closes-pipe-109", expected=109, observed=lab.packet(port).error)
    server, _ = lab.pipe()
    port.associate(server, 1)
    server.read(lab.operation(4))
    server.close()
    error = lab.packet(port).error
    lab.must("iocp-own-close-ends-pending", expected="a failure", observed=error, holds=error != 0)
    ours, _ = lab.sockets()
    port.associate(ours, 1)
    ours.receive(lab.operation(4))
    ours.close()
    lab.must("iocp-closesocket-pending-995", expected=995, observed=lab.packet(port).error)


CASE = Case(
    variants=(close_while_pending,),
    claims=(
        Claim(
            "iocp-peer-closes-pipe-109",
            "A read that is pending on a pipe ends with 109 when the other end closes.",
            "Microsoft: ReadFile",
        ),
        Claim(
            "iocp-own-close-ends-pending",
            "Closing a pipe's handle ends its pending read with a failed packet.",
            "observed",
        ),
        Claim(
            "iocp-closesocket-pending-995",
            "closesocket ends a pending receive with 995.",
            "Microsoft: closesocket",
        ),
    ),
    needs=("iocp",),
)
