"""A closed port's number is the next port's, and old code takes the new one's packets.

What it does        naive: keeps the number of a closed port and goes on waiting with it. right: asks the object
                    that owns the handle.
Why it bites        Handle values are reused at once. A worker that was not told of the shutdown steals packets of
                    another loop, and a second CloseHandle closes somebody else's object.
What you will see   naive: the old number delivers the new port's packet, if the number was reused. right: the
                    closed object refuses.
References          Microsoft: CloseHandle; golang/go#21172
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """Remembers a number."""
    old = lab.port()
    number = old.handle
    old.close()
    new = lab.port()
    lab.record("iocp-port-number-reused", new.handle == number, "whether the number was reused")
    if new.handle != number:
        lab.skip("iocp-port-number-reused", "the number was not reused this time")
        return
    new.post(1, 2, 3)
    outputs = lab.ffi.new("DWORD *"), lab.ffi.new("ULONG_PTR *"), lab.ffi.new("OVERLAPPED **")
    taken = lab.lib.GetQueuedCompletionStatus(lab.pointer_of(number), *outputs, 1000)
    lab.must("iocp-port-number-reused", expected=[1, 2], observed=[taken, outputs[1][0]])


def right(lab: "WindowsLab") -> None:
    """Asks the owner."""
    old = lab.port()
    old.close()
    new = lab.port()
    new.post(1, 2, 3)
    refused = False
    try:
        old.wait(0)
    except ValueError:
        refused = True
    lab.must("iocp-closed-port-object-refuses", expected=[True, 2], observed=[refused, lab.packet(new).key])


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-port-number-reused",
            "A wait with the reused number of a closed port takes the new port's packet.",
            "observed",
        ),
        Claim(
            "iocp-closed-port-object-refuses",
            "An object that owns its handle refuses after close, whoever has the number now.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
