"""Several reads of one handle may be outstanding, each with an OVERLAPPED of its own.

What it does        Starts two reads at different offsets: naive gives both the same OVERLAPPED, right one each.
Why it bites        The packet names the operation by its OVERLAPPED alone. One for two reads makes them the same
                    operation: which of them ended cannot be told, and the status words overwrite each other.
What you will see   naive: two packets with one pointer. right: two pointers, each with its own bytes, in any order.
References          Microsoft: OVERLAPPED, Synchronous and Asynchronous I/O
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """Two pending pipe reads, one OVERLAPPED."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    place = lab.kept(lab.ffi.new("OVERLAPPED *"))
    buffers = [lab.kept(lab.ffi.new("char[4]")) for _ in range(2)]
    for buffer in buffers:
        lab.lib.ReadFile(lab.pointer_of(server), buffer, 4, lab.NULL, place)
    lab.fill(client, b"aaaa")
    lab.fill(client, b"bbbb")
    pointers = {lab.packet(port).overlapped for _ in range(2)}
    lab.must("iocp-one-overlapped-two-packets", expected=1, observed=len(pointers))


def right(lab: "WindowsLab") -> None:
    """One each."""
    port, file = lab.port(), lab.file(b"firstsecond")
    port.associate(file, 1)
    first, second = lab.operation(5), lab.operation(6, offset=5)
    file.read(first)
    file.read(second)
    ended = {packet.operation for packet in (lab.packet(port), lab.packet(port))}
    lab.must(
        "iocp-two-reads-two-packets",
        expected=[True, b"first", b"second"],
        observed=[ended == {first, second}, first.data(), second.data()],
    )
    refused = False
    server, client = lab.pipe()
    port.associate(server, 2)
    server.read(first)
    try:
        server.read(first)
    except RuntimeError:
        refused = True
    lab.fill(client, b"end")
    lab.must("iocp-operation-in-flight-refuses-second-call", expected=True, observed=refused)
    lab.packet(port)


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-one-overlapped-two-packets",
            "Two reads with one OVERLAPPED bring two packets that cannot be told apart.",
            "observed",
        ),
        Claim(
            "iocp-two-reads-two-packets",
            "Two reads with an OVERLAPPED each bring a packet each; their order is not promised.",
            "Microsoft: Synchronous and Asynchronous I/O",
        ),
        Claim(
            "iocp-operation-in-flight-refuses-second-call",
            "An object that knows that its OVERLAPPED is in use can refuse a second call.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
