"""With the skip flag a success at once brings no packet; everything else still does.

What it does        Sets FILE_SKIP_COMPLETION_PORT_ON_SUCCESS on a pipe and on a socket, then reads with data there
                    and without. naive waits for the packet, right handles the result in line.
Why it bites        The flag saves a wait for each operation that need not wait, but then the result must be looked
                    at: whoever sets it and still waits for every packet hangs, and only when data was faster.
What you will see   naive: the data is there and the wait for its packet ends at the timeout. right: no packet after
                    a success, one after 997, and one after 234, which brings data but is no success.
References          Microsoft: SetFileCompletionNotificationModes; golang/go#22149, #77448; libuv/libuv#5282;
                    microsoft/WSL#40042
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.iocp import CompletionPort
    from toolkit.primitives.named_pipe import NamedPipe
    from toolkit.primitives.overlapped_file import OverlappedFile


def _bound_pipe(lab: "WindowsLab") -> tuple["CompletionPort", "NamedPipe", "OverlappedFile"]:
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    lab.skip_packets_on_success(server)
    return port, server, client


def naive(lab: "WindowsLab") -> None:
    """Sets the flag, and waits as before."""
    port, server, client = _bound_pipe(lab)
    lab.fill(client, b"data")
    operation = lab.operation(16)
    done = lab.lib.ReadFile(lab.pointer_of(server), operation.buffer, 16, lab.NULL, operation.overlapped)
    came = port.wait(150)
    lab.must("iocp-skip-then-wait-hangs", expected=[1, True], observed=[done, came is None])


def right(lab: "WindowsLab") -> None:
    """Looks at the result."""
    port, server, client = _bound_pipe(lab)
    lab.fill(client, b"data")
    operation = lab.operation(16)
    started = lab.started(server.read, operation)
    lab.must(
        "iocp-skip-no-packet-on-success",
        expected=["DONE_NO_PACKET", b"data", True],
        observed=[started, operation.data(), lab.nothing(port)],
    )
    started = lab.started(server.read, operation)
    lab.fill(client, b"late")
    lab.must(
        "iocp-skip-packet-when-pending", expected=["PENDING", 4], observed=[started, lab.packet(port).bytes]
    )
    ours, theirs = lab.sockets()
    port.associate(ours, 2)
    lab.skip_packets_on_success(ours)
    theirs.plain.sendall(b"data")
    first = lab.operation(1)
    if lab.started(ours.receive, first) == "PENDING":  # the byte may have been on its way still
        lab.packet(port)
    started = lab.started(ours.receive, operation)
    lab.must(
        "iocp-skip-no-packet-on-success",
        expected=["DONE_NO_PACKET", 3, True],
        observed=[started, operation.transferred, lab.nothing(port)],
        reason="on a socket",
    )
    _warning_brings_its_packet(lab)


def _warning_brings_its_packet(lab: "WindowsLab") -> None:
    port = lab.port()
    server, client = lab.pipe(messages=True)
    port.associate(server, 3)
    lab.skip_packets_on_success(server)
    lab.fill(client, b"messages")
    operation = lab.operation(4)
    started = lab.started(server.read, operation)
    packet = port.wait(150)
    lab.must(
        "iocp-skip-packet-with-warning",
        expected=["DONE_PACKET_FOLLOWS", 234, 4],
        observed=[started, packet and packet.error, packet and packet.bytes],
        reason="a message pipe",
    )


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-skip-then-wait-hangs",
            "After a success under the skip flag the wait for its packet never ends.",
            "Microsoft: SetFileCompletionNotificationModes",
        ),
        Claim(
            "iocp-skip-no-packet-on-success",
            "Under FILE_SKIP_COMPLETION_PORT_ON_SUCCESS a success at once queues no packet.",
            "Microsoft: SetFileCompletionNotificationModes",
        ),
        Claim(
            "iocp-skip-packet-when-pending",
            "Under the flag an operation that was pending (997) still queues its packet.",
            "Microsoft: SetFileCompletionNotificationModes",
        ),
        Claim(
            "iocp-skip-packet-with-warning",
            "Under the flag a warning (234, data that did not fit) still queues its packet: it is no success.",
            "Microsoft: SetFileCompletionNotificationModes",
        ),
    ),
    needs=("iocp",),
)
