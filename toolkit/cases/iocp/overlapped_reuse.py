"""The address of an OVERLAPPED is no identity once it was freed.

What it does        Makes and frees OVERLAPPEDs and looks at their addresses: naive finds operations by address in a
                    table that outlives them, right keeps each until its packet is taken.
Why it bites        The allocator gives the address out again at once. A table keyed by it finds the wrong operation
                    for a late packet.
What you will see   naive: fifty OVERLAPPEDs, few addresses. right: as long as they are in flight, fifty addresses.
References          Microsoft: OVERLAPPED; python/cpython#116773; golang/go#21172
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_TIMES = 50


def naive(lab: "WindowsLab") -> None:
    """Made and dropped."""
    addresses = {int(lab.ffi.cast("uintptr_t", lab.ffi.new("OVERLAPPED *"))) for _ in range(_TIMES)}
    lab.must("iocp-overlapped-address-reused", expected=True, observed=len(addresses) < _TIMES)


def right(lab: "WindowsLab") -> None:
    """In flight, and dropped by everyone else."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)

    def begin() -> int:
        operation = lab.operation(1)
        server.read(operation)
        return operation.address

    addresses = {begin() for _ in range(_TIMES)}
    lab.fill(client, b"x" * _TIMES)
    packets = [lab.packet(port) for _ in range(_TIMES)]
    lab.must(
        "iocp-overlapped-in-flight-unique",
        expected=[_TIMES, True],
        observed=[
            len(addresses),
            all(packet.operation and packet.operation.data(1) == b"x" for packet in packets),
        ],
    )


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-overlapped-address-reused",
            "The address of a freed OVERLAPPED is given to a new one.",
            "observed",
        ),
        Claim(
            "iocp-overlapped-in-flight-unique",
            "OVERLAPPEDs that are kept until their packets are taken never share an address.",
            "Microsoft: OVERLAPPED",
        ),
    ),
    needs=("iocp",),
)
