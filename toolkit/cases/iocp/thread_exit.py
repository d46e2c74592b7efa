"""What a thread started goes on after it has ended, if the handle is bound to a port.

What it does        Starts a read in a thread that then ends: on a handle bound to a port, and on one with an event
                    alone.
Why it bites        A pool that lets threads end would lose the operations they started: Windows cancels them,
                    unless the handle is bound.
What you will see   naive (an event alone): 995. right (a port): the read goes on and gets the data.
References          Microsoft: CreateIoCompletionPort, ExitThread; MicrosoftDocs/sdk-api PR 1137
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """No port."""
    server, _ = lab.pipe()
    operation = lab.operation(8)
    lab.thread(server.read, operation).gone()
    error = lab.error_of(server.result, operation, 2000)
    operation.arrive()
    lab.must("iocp-thread-exit-cancels-without-port", expected=995, observed=error)


def right(lab: "WindowsLab") -> None:
    """Bound."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    operation = lab.operation(8)
    lab.thread(server.read, operation).gone()
    lab.fill(client, b"data")
    packet = lab.packet(port)
    lab.must(
        "iocp-thread-exit-keeps-bound-operations", expected=[0, 4], observed=[packet.error, packet.bytes]
    )


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-thread-exit-cancels-without-port",
            "The end of a thread cancels what it started on handles without a port: 995.",
            "MicrosoftDocs/sdk-api PR 1137",
        ),
        Claim(
            "iocp-thread-exit-keeps-bound-operations",
            "Operations on a handle that is bound to a port outlive the thread that started them.",
            "MicrosoftDocs/sdk-api PR 1137",
        ),
    ),
    needs=("iocp",),
)
