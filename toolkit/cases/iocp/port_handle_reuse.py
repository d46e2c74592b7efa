"""A closed port's number is the next port's, and old code takes the new one's packets.

What it does        naive: keeps the number of a closed port and goes on waiting with it. right: asks the object
                    that owns the handle.
Why it bites        Handle values are reused at once. A worker that was not told of the shutdown steals packets of
                    another loop, and a second CloseHandle closes somebody else's object.
What you will see   naive: if the number was reused, it delivers the new port's packet, and a second CloseHandle
                    closes the new owner's event. right: the closed object refuses, and closing it again is harmless.
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
    _closes_what_has_the_number(lab)


def _closes_what_has_the_number(lab: "WindowsLab") -> None:
    port = lab.port()
    number = port.handle
    port.close()
    event = lab.lib.CreateEventW(lab.NULL, True, False, lab.NULL)
    if lab.number_of(event) != number:
        lab.lib.CloseHandle(event)
        lab.skip("iocp-port-number-closed-twice", "the number was not reused this time")
        return
    outputs = lab.ffi.new("DWORD *"), lab.ffi.new("ULONG_PTR *"), lab.ffi.new("OVERLAPPED **")
    observed = [lab.lib.GetQueuedCompletionStatus(event, *outputs, 0), lab.last_error()]
    observed += [lab.lib.CloseHandle(lab.pointer_of(number))]
    observed += [lab.lib.SetEvent(event), lab.last_error()]
    lab.must("iocp-port-number-closed-twice", expected=[0, 6, 1, 0, 6], observed=observed)


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
    old.close()
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
            "iocp-port-number-closed-twice",
            "A second CloseHandle closes whatever has the number now; a wait on what is no port fails with 6.",
            "Microsoft: CloseHandle",
        ),
        Claim(
            "iocp-closed-port-object-refuses",
            "An object that owns its handle refuses after close, and closes once, whoever has the number now.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
