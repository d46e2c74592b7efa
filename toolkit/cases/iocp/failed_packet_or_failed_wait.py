"""FALSE with an OVERLAPPED is an operation that failed; FALSE without one is a wait that failed.

What it does        Cancels a read, so that a packet with an error is queued; then waits on the empty port.
Why it bites        GetQueuedCompletionStatus returns FALSE for both. A worker that takes any FALSE for a timeout
                    throws the packet away, and whoever waits for that operation waits for ever; one that takes it
                    for the end of the port leaves when a client disconnects.
What you will see   naive: the packet is counted as a timeout and the operation never ends. right: the packet is
                    told from the timeout by its OVERLAPPED.
References          Microsoft: GetQueuedCompletionStatus; c-ares/c-ares#1247; yoshuawuyts/miow#25;
                    microsoft/Detours#264
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.iocp import CompletionPort
    from toolkit.primitives.operation import Operation


def _cancelled_read(lab: "WindowsLab", port: "CompletionPort") -> "Operation":
    server, _ = lab.pipe()
    port.associate(server, 1)
    operation = lab.operation(16)
    server.read(operation)
    server.cancel(operation)
    return operation


def naive(lab: "WindowsLab") -> None:
    """Takes every FALSE for a timeout."""
    port = lab.port()
    _cancelled_read(lab, port)
    count, key = lab.ffi.new("DWORD *"), lab.ffi.new("ULONG_PTR *")
    overlapped = lab.ffi.new("OVERLAPPED **")
    ended, timeouts = 0, 0
    for _ in range(3):
        if lab.lib.GetQueuedCompletionStatus(lab.pointer_of(port), count, key, overlapped, 50):
            ended += 1
        else:
            timeouts += 1
    lab.must("iocp-failed-packet-lost-as-timeout", expected=[0, 3], observed=[ended, timeouts])


def right(lab: "WindowsLab") -> None:
    """Asks whether there is an OVERLAPPED."""
    port = lab.port()
    operation = _cancelled_read(lab, port)
    packet = lab.packet(port)
    lab.must(
        "iocp-failed-packet-has-overlapped",
        expected=[995, True],
        observed=[packet.error, packet.operation is operation],
    )
    count, key = lab.ffi.new("DWORD *", 77), lab.ffi.new("ULONG_PTR *", 78)
    overlapped = lab.ffi.new("OVERLAPPED **", lab.ffi.cast("OVERLAPPED *", 79))
    result = lab.lib.GetQueuedCompletionStatus(lab.pointer_of(port), count, key, overlapped, 0)
    lab.must(
        "iocp-timeout-null-overlapped-258",
        expected=[0, 258, True],
        observed=[result, lab.last_error(), overlapped[0] == lab.NULL],
    )
    lab.record("iocp-timeout-null-overlapped-258", [count[0], key[0]], "count and key after a timeout")


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-failed-packet-lost-as-timeout",
            "A loop that takes every FALSE for a timeout loses the packets of failed operations.",
            "c-ares/c-ares#1247",
        ),
        Claim(
            "iocp-failed-packet-has-overlapped",
            "The packet of a failed operation makes the wait return FALSE with the operation's OVERLAPPED and error.",
            "Microsoft: GetQueuedCompletionStatus",
        ),
        Claim(
            "iocp-timeout-null-overlapped-258",
            "At the timeout the wait returns FALSE with a NULL OVERLAPPED and error 258.",
            "Microsoft: GetQueuedCompletionStatus",
        ),
    ),
    needs=("iocp",),
)
