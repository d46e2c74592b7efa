"""A packet of a closed handle carries a key that is the new handle's number.

What it does        Uses the handle's number as its key; closes a pipe whose packet is still queued, and opens
                    another file.
Why it bites        Handle values are reused at once, and packets outlive handles: a table keyed by the number gives
                    the old operation's result to the new owner.
What you will see   naive: the stale packet is taken for the new handle's, if the number was reused. right: the
                    operation itself says whose it is.
References          Microsoft: CloseHandle; twisted/twisted; python/cpython#91845
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.iocp import Packet
    from toolkit.primitives.operation import Operation
    from toolkit.primitives.overlapped_file import OverlappedFile


def _stale(lab: "WindowsLab") -> tuple["Packet", "OverlappedFile", "Operation", bool]:
    port = lab.port()
    server, _ = lab.pipe()
    key = server.handle
    port.associate(server, key)
    operation = lab.operation(8)
    server.read(operation)
    server.cancel(operation)
    server.close()
    newcomer = lab.file(b"newcomer")
    return lab.packet(port), newcomer, operation, newcomer.handle == key


def naive(lab: "WindowsLab") -> None:
    """A table by number."""
    packet, newcomer, _, reused = _stale(lab)
    lab.record("iocp-handle-number-reused", reused, "whether the number was reused")
    if not reused:
        lab.skip("iocp-handle-number-reused", "the number was not reused this time")
        return
    owner = {newcomer.handle: "newcomer"}.get(packet.key)
    lab.must("iocp-handle-number-reused", expected="newcomer", observed=owner)


def right(lab: "WindowsLab") -> None:
    """By operation."""
    packet, _, operation, _ = _stale(lab)
    lab.must("iocp-operation-names-its-owner", expected=True, observed=packet.operation is operation)


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-handle-number-reused",
            "The key of a queued packet can be the number of a handle that was opened later.",
            "observed",
        ),
        Claim(
            "iocp-operation-names-its-owner",
            "The OVERLAPPED, kept until its packet is taken, names the operation whatever happened to the handle.",
            "Microsoft: I/O Completion Ports",
        ),
    ),
    needs=("iocp",),
)
