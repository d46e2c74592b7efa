"""A client that was faster than ConnectNamedPipe is a success without a packet.

What it does        Connects a named pipe with no client yet, with a client there already, with one that came and
                    went; then reconnects.
Why it bites        535 and 232 come from the call, and no packet follows: a server that waits for one never serves
                    that client, and only when the client is fast.
What you will see   naive: the wait for the packet runs out. right: pending with a packet; 535 at once; 232, and
                    after a disconnect the next client is served.
References          Microsoft: ConnectNamedPipe
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """Waits for a packet whatever the call said."""
    port = lab.port()
    pipe = lab.named_pipe()
    port.associate(pipe, 1)
    lab.open(pipe.name)
    place = lab.kept(lab.ffi.new("OVERLAPPED *"))
    done = lab.lib.ConnectNamedPipe(lab.pointer_of(pipe), place)
    error = lab.last_error()
    lab.must("iocp-connect-535-no-packet", expected=[0, 535, True], observed=[done, error, lab.nothing(port)])


def right(lab: "WindowsLab") -> None:
    """Looks at the result."""
    port = lab.port()
    pipe = lab.named_pipe()
    port.associate(pipe, 1)
    operation = lab.operation()
    started = lab.started(pipe.connect, operation)
    client = lab.open(pipe.name)
    lab.must(
        "iocp-connect-pending-packet", expected=["PENDING", 0], observed=[started, lab.packet(port).error]
    )
    client.close()
    lab.must("iocp-connect-client-gone-232", expected=232, observed=lab.started(pipe.connect, operation))
    pipe.disconnect()
    started = lab.started(pipe.connect, operation)
    lab.open(pipe.name)
    lab.must(
        "iocp-connect-after-disconnect",
        expected=["PENDING", 0],
        observed=[started, lab.packet(port).error],
    )


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-connect-535-no-packet",
            "With a client there already ConnectNamedPipe fails with 535, and no packet comes.",
            "Microsoft: ConnectNamedPipe",
        ),
        Claim(
            "iocp-connect-pending-packet",
            "Without a client it is pending and ends with a packet when one comes.",
            "Microsoft: ConnectNamedPipe",
        ),
        Claim(
            "iocp-connect-client-gone-232",
            "With a client that came and went it fails with 232.",
            "Microsoft: ConnectNamedPipe",
        ),
        Claim(
            "iocp-connect-after-disconnect",
            "After DisconnectNamedPipe the next client is served.",
            "Microsoft: DisconnectNamedPipe",
        ),
    ),
    needs=("iocp",),
)
