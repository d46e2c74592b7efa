"""An event in the OVERLAPPED is set beside the packet; with its low bit set, instead of it.

What it does        Reads with an event in hEvent, plain and with the lowest bit set, on a handle that is bound to a
                    port.
Why it bites        A library that waits for its own events on a handle you bound sends its completions into your
                    port too: packets with pointers you never made. The low bit is its way out, and few know it.
What you will see   naive: the event is set and a packet comes, with an OVERLAPPED nobody here knows. right: the
                    event is set and the port stays empty.
References          Microsoft: GetQueuedCompletionStatus; golang/go#21172, #58870
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def _read_with(lab: "WindowsLab", *, no_packet: bool) -> list[object]:
    """Whether the event was set, and the packet, if one came."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    event, buffer = lab.event(), lab.kept(lab.ffi.new("char[16]"))
    foreign = lab.kept(lab.ffi.new("OVERLAPPED *"))
    foreign.hEvent = lab.pointer_of(event.handle | int(no_packet))
    lab.lib.ReadFile(lab.pointer_of(server), buffer, 16, lab.NULL, foreign)
    lab.fill(client, b"data")
    signalled = lab.lib.WaitForSingleObject(lab.pointer_of(event), 5000)
    packet = port.wait(150)
    address = int(lab.ffi.cast("uintptr_t", foreign))
    return [signalled == 0, packet and [packet.overlapped == address, packet.operation]]


def naive(lab: "WindowsLab") -> None:
    """A plain event."""
    lab.must(
        "iocp-event-and-packet", expected=[True, [True, None]], observed=_read_with(lab, no_packet=False)
    )


def right(lab: "WindowsLab") -> None:
    """The low bit."""
    lab.must("iocp-event-low-bit-no-packet", expected=[True, None], observed=_read_with(lab, no_packet=True))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-event-and-packet",
            "An operation with an event on a bound handle sets the event and queues a packet.",
            "Microsoft: I/O Completion Ports",
        ),
        Claim(
            "iocp-event-low-bit-no-packet",
            "With the low bit of hEvent set the event is set and no packet is queued.",
            "Microsoft: GetQueuedCompletionStatus",
        ),
    ),
    needs=("iocp",),
)
