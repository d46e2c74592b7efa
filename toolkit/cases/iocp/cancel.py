"""Cancelling is a request: the packet comes, with 995 or with the result that was faster.

What it does        Cancels reads: one of three, all of a handle, one that has ended, from another thread, and a
                    waiting ConnectNamedPipe.
Why it bites        CancelIoEx returns before the operation has ended. Until the packet is taken the OVERLAPPED and
                    the buffer are the system's; freed at once they are written into.
What you will see   naive: right after CancelIoEx a packet is still owed. right: each cancelled operation brings one
                    packet with 995; one that had ended brings its result and 1168.
References          Microsoft: CancelIo, CancelIoEx; lewissbaker/cppcoro#68; microsoft/wil#326; crystal-
                    lang/crystal#14754; nanomsg/nng#1599
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.iocp import CompletionPort
    from toolkit.primitives.named_pipe import NamedPipe
    from toolkit.primitives.operation import Operation
    from toolkit.primitives.overlapped_file import OverlappedFile


def _three_reads(
    lab: "WindowsLab",
) -> tuple["CompletionPort", "NamedPipe", "OverlappedFile", list["Operation"]]:
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    operations = [lab.operation(4) for _ in range(3)]
    for operation in operations:
        server.read(operation)
    return port, server, client, operations


def naive(lab: "WindowsLab") -> None:
    """Takes the return for the end."""
    port, server, _, operations = _three_reads(lab)
    server.cancel()
    owed = [operation.pending for operation in operations]
    lab.must("iocp-cancel-returns-before-packet", expected=[True] * 3, observed=owed)
    for _ in operations:
        lab.packet(port)


def right(lab: "WindowsLab") -> None:
    """Waits for each packet."""
    port, server, client, operations = _three_reads(lab)
    server.cancel(operations[1])
    packet = lab.packet(port)
    lab.must(
        "iocp-cancel-one-995",
        expected=[995, True, 0xC0000120],
        observed=[packet.error, packet.operation is operations[1], operations[1].status],
    )
    lab.fill(client, b"data")
    ended = lab.packet(port)
    again = server.cancel(operations[0])
    lab.must("iocp-cancel-ended-1168", expected=[0, 4, False], observed=[ended.error, ended.bytes, again])
    elsewhere = lab.thread(lambda: lab.lib.CancelIo(lab.pointer_of(server))).result()
    lab.must("iocp-cancelio-own-thread-only", expected=[1, True], observed=[elsewhere, lab.nothing(port)])
    lab.thread(server.cancel, operations[2]).result()
    lab.must("iocp-cancelioex-any-thread", expected=995, observed=lab.packet(port).error)
    idle, _ = lab.pipe()
    lab.must("iocp-cancel-nothing-1168", expected=False, observed=idle.cancel())
    pipe = lab.named_pipe()
    port.associate(pipe, 2)
    connecting = lab.operation()
    pipe.connect(connecting)
    pipe.cancel(connecting)
    lab.must("iocp-cancel-connect-named-pipe-995", expected=995, observed=lab.packet(port).error)


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-cancel-returns-before-packet",
            "CancelIoEx returns while the packets of what it cancelled are still to be taken.",
            "Microsoft: CancelIoEx",
        ),
        Claim(
            "iocp-cancel-one-995",
            "CancelIoEx of one OVERLAPPED ends that operation with 995, and no other.",
            "Microsoft: CancelIoEx",
        ),
        Claim(
            "iocp-cancel-ended-1168",
            "CancelIoEx of an operation that has ended fails with 1168, and its packet stays what it is.",
            "Microsoft: CancelIoEx",
        ),
        Claim(
            "iocp-cancelio-own-thread-only",
            "CancelIo cancels only what its own thread started.",
            "Microsoft: CancelIo",
        ),
        Claim("iocp-cancelioex-any-thread", "CancelIoEx cancels from any thread.", "Microsoft: CancelIoEx"),
        Claim(
            "iocp-cancel-nothing-1168",
            "CancelIoEx of a whole handle without operations fails with 1168.",
            "Microsoft: CancelIoEx",
        ),
        Claim(
            "iocp-cancel-connect-named-pipe-995",
            "A cancelled ConnectNamedPipe ends with 995.",
            "Microsoft: CancelIoEx",
        ),
    ),
    needs=("iocp",),
)
