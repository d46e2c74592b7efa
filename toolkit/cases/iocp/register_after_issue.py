"""A packet can be taken before the call that started its operation has returned.

What it does        One thread starts reads that succeed at once, another takes packets and looks each up in a
                    table: naive enters the operation after the call, right before it.
Why it bites        The result of the call and the packet race. A table filled after the call has no entry yet: the
                    completion is lost or crashes the poller.
What you will see   naive: a packet is there before the entry is. right: never.
References          Microsoft: I/O Completion Ports; harvimt/quamash#55; python/cpython#149123
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def _look_up(lab: "WindowsLab", *, early: bool) -> list[bool]:
    """Whether the operation was in the table when its packet was taken. The poller runs inside the gap."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    lab.fill(client, b"data")
    table: dict[int, str] = {}
    operation = lab.operation(16)
    if early:
        table[operation.address] = "reader"
    poller = lab.thread(lambda: lab.packet(port).overlapped in table)
    server.read(operation)
    found = poller.result()
    table[operation.address] = "reader"
    return [found]


def naive(lab: "WindowsLab") -> None:
    """The entry after the call."""
    lab.must("iocp-packet-before-entry", expected=[False], observed=_look_up(lab, early=False))


def right(lab: "WindowsLab") -> None:
    """The entry before the call."""
    lab.must("iocp-entry-before-call", expected=[True], observed=_look_up(lab, early=True))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-packet-before-entry",
            "A poller can take the packet before the issuer has noted the operation.",
            "Microsoft: I/O Completion Ports",
        ),
        Claim(
            "iocp-entry-before-call",
            "An operation that is noted before the call is found for every packet.",
            "Microsoft: I/O Completion Ports",
        ),
    ),
    needs=("iocp",),
)
