"""A receive waits for data; with 0 bytes to read it waits and takes nothing.

What it does        Starts receives of some bytes, of 0 bytes, two at once; then the peer finishes sending.
Why it bites        A server with 100,000 idle connections cannot keep a buffer in each pending receive: the one of
                    0 bytes tells when to bring a buffer. And 0 bytes from any other receive is the peer's end.
What you will see   The receive of 0 bytes ends when data is there, which is then all there; the end is said again
                    by every receive.
References          Microsoft: WSARecv
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def socket_receive(lab: "WindowsLab") -> None:
    """Pending, of nothing, two, the end."""
    port = lab.port()
    ours, theirs = lab.sockets()
    port.associate(ours, 1)
    operation = lab.operation(16)
    started = lab.started(ours.receive, operation)
    theirs.plain.sendall(b"data")
    packet = lab.packet(port)
    lab.must(
        "iocp-receive-pending", expected=["PENDING", 0, 4], observed=[started, packet.error, packet.bytes]
    )
    started = lab.started(ours.receive, lab.operation(0))
    idle = port.wait(50) is None
    theirs.plain.sendall(b"more")
    packet = lab.packet(port)
    ours.receive(operation)
    taken = operation.data(lab.packet(port).bytes)
    lab.must(
        "iocp-zero-byte-receive-takes-nothing",
        expected=["PENDING", True, [0, 0], b"more"],
        observed=[started, idle, [packet.error, packet.bytes], taken],
    )
    first, second = lab.operation(4), lab.operation(4)
    ours.receive(first)
    ours.receive(second)
    theirs.plain.sendall(b"one!two!")
    order = [lab.packet(port).operation for _ in range(2)]
    lab.must(
        "iocp-two-receives-filled-in-order",
        expected=[b"one!", b"two!"],
        observed=[first.data(), second.data()],
    )
    lab.record(
        "iocp-two-receives-filled-in-order", order == [first, second], "packets in the order of the calls"
    )
    theirs.plain.shutdown(1)
    ends = []
    for _ in range(2):
        ours.receive(operation)
        packet = lab.packet(port)
        ends.append([packet.error, packet.bytes])
    lab.must("iocp-receive-zero-is-the-peers-end", expected=[[0, 0], [0, 0]], observed=ends)


CASE = Case(
    variants=(socket_receive,),
    claims=(
        Claim(
            "iocp-receive-pending",
            "A receive without data is pending and ends with a packet when data comes.",
            "Microsoft: WSARecv",
        ),
        Claim(
            "iocp-zero-byte-receive-takes-nothing",
            "A receive of 0 bytes ends when there is data, and takes none.",
            "observed",
        ),
        Claim(
            "iocp-two-receives-filled-in-order",
            "Two receives of one socket are filled in the order of their calls.",
            "Microsoft: WSARecv",
        ),
        Claim(
            "iocp-receive-zero-is-the-peers-end",
            "After the peer's end every receive succeeds with 0 bytes.",
            "Microsoft: WSARecv",
        ),
    ),
    needs=("iocp",),
)
