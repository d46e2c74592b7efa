"""A buffer freed while its operation is pending is written into all the same.

What it does        Starts a read and drops its buffer; memory is taken again for other things, and then the data
                    arrives. naive frees, right keeps.
Why it bites        The kernel writes where it was told to. What lies there by then is corrupted, long after and far
                    from the mistake; cancelling first does not help, until the packet is taken.
What you will see   naive: another object's bytes are overwritten. right: the operation's own buffer has them.
References          Microsoft: ReadFile; python/cpython#116773; swiftlang/swift-subprocess#340; microsoft/wil#326;
                    lewissbaker/cppcoro#68
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_SIZE = 16


def naive(lab: "WindowsLab") -> None:
    """Frees the buffer; the allocator gives the block to the next object of its size."""
    server, client = lab.pipe()
    lab.port().associate(server, 1)
    place = lab.kept(lab.ffi.new("OVERLAPPED *"))
    buffer = lab.ffi.new("char[]", _SIZE)
    address = int(lab.ffi.cast("uintptr_t", buffer))
    lab.lib.ReadFile(lab.pointer_of(server), buffer, _SIZE, lab.NULL, place)
    del buffer
    others = [lab.ffi.new("char[]", b"v" * (_SIZE - 1)) for _ in range(100)]
    victims = [one for one in others if int(lab.ffi.cast("uintptr_t", one)) == address]
    if not victims:
        lab.skip("iocp-freed-buffer-overwritten", "the block was not given out again this time")
        return
    lab.fill(client, b"CORRUPT")
    lab.until(lambda: place.InternalHigh == len(b"CORRUPT"), "the read's end")
    lab.must(
        "iocp-freed-buffer-overwritten", expected=b"CORRUPTvvvvvvvv", observed=lab.ffi.string(victims[0])
    )


def right(lab: "WindowsLab") -> None:
    """Nobody here keeps the operation; it is alive until its packet is taken."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    server.read(lab.operation(_SIZE))
    crowd = [lab.ffi.new("char[]", b"v" * (_SIZE - 1)) for _ in range(100)]
    lab.fill(client, b"arrived")
    packet = lab.packet(port)
    whole = all(lab.ffi.string(one) == b"v" * (_SIZE - 1) for one in crowd)
    found = packet.operation.data(packet.bytes) if packet.operation else None
    lab.must("iocp-buffer-kept-until-packet", expected=[True, b"arrived"], observed=[whole, found])


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-freed-buffer-overwritten",
            "The end of an operation writes into the memory it was given, whoever owns that by then.",
            "Microsoft: ReadFile",
        ),
        Claim(
            "iocp-buffer-kept-until-packet",
            "A buffer that is kept until the packet is taken has the data, and nothing else was touched.",
            "Microsoft: ReadFile",
        ),
    ),
    needs=("iocp",),
)
