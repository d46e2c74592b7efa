"""GetOverlappedResult tells of an operation, and its packet is queued all the same.

What it does        Asks for the result of a pending read, of a finished one and of one at the end of the file, on a
                    handle that is bound to a port.
Why it bites        Code that waits for an operation with GetOverlappedResult and also runs a port counts it twice.
What you will see   996 and the status 0x103 while it is pending, 258 at a timeout, the count afterwards, and then
                    still the packet.
References          Microsoft: GetOverlappedResult, GetOverlappedResultEx
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def overlapped_result(lab: "WindowsLab") -> None:
    """Pending, timed out, done, failed."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    operation = lab.operation(8)
    server.read(operation)
    lab.must(
        "iocp-result-pending-996",
        expected=[996, 0x103],
        observed=[lab.error_of(server.result, operation), operation.status],
    )
    lab.must("iocp-result-timeout-258", expected=258, observed=lab.error_of(server.result, operation, 60))
    lab.fill(client, b"four")
    lab.must("iocp-result-then-packet-too", expected=4, observed=server.result(operation, 5000))
    packet = lab.packet(port)
    lab.must(
        "iocp-result-then-packet-too",
        expected=[4, True],
        observed=[packet.bytes, packet.operation is operation],
    )
    file = lab.file(b"x")
    at_end = lab.operation(8, offset=1)
    lab.must(
        "iocp-result-eof-38",
        expected=38,
        observed=lab.error_of(file.read, at_end) or lab.error_of(file.result, at_end, 5000),
    )


CASE = Case(
    variants=(overlapped_result,),
    claims=(
        Claim(
            "iocp-result-pending-996",
            "While an operation runs GetOverlappedResult fails with 996 and its status is 0x103.",
            "Microsoft: GetOverlappedResult",
        ),
        Claim(
            "iocp-result-timeout-258",
            "GetOverlappedResultEx fails with 258 at its timeout.",
            "Microsoft: GetOverlappedResultEx",
        ),
        Claim(
            "iocp-result-then-packet-too",
            "An operation whose result was asked for still queues its packet.",
            "observed",
        ),
        Claim(
            "iocp-result-eof-38",
            "At the end of a file the result is the error 38.",
            "Microsoft: GetOverlappedResult",
        ),
    ),
    needs=("iocp",),
)
