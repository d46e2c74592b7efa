"""An operation that succeeds at once queues its packet all the same.

What it does        Reads from a pipe that holds data already: naive handles the data in line and again on the
                    packet, right leaves all of it to the port.
Why it bites        ReadFile says TRUE and the data is there, so it is natural to handle it. Then the packet comes,
                    and the same bytes are handled once more: a request answered twice, a buffer freed twice.
What you will see   naive: one message, handled twice. right: once.
References          Microsoft: I/O Completion Ports; libuv/libuv#5282; oferchen/rsync#4546; lalinsky/zio#733
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def _handled(lab: "WindowsLab", *, in_line: bool) -> list[bytes]:
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    lab.fill(client, b"order 66")
    handled = []
    operation = lab.operation(16)
    outcome = lab.started(server.read, operation)
    lab.record("iocp-immediate-success-queues-packet", outcome, "how the read began")
    if in_line and outcome == "DONE_PACKET_FOLLOWS":
        handled.append(operation.data())
    packet = lab.packet(port)
    handled.append(operation.data(packet.bytes))
    if not lab.nothing(port):
        handled.append(b"and a second packet")
    return handled


def naive(lab: "WindowsLab") -> None:
    """In line and on the packet."""
    lab.must(
        "iocp-immediate-success-handled-twice",
        expected=[b"order 66"] * 2,
        observed=_handled(lab, in_line=True),
    )


def right(lab: "WindowsLab") -> None:
    """On the packet alone."""
    lab.must(
        "iocp-immediate-success-queues-packet", expected=[b"order 66"], observed=_handled(lab, in_line=False)
    )


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-immediate-success-handled-twice",
            "Code that handles a success both in line and on its packet handles it twice.",
            "Microsoft: I/O Completion Ports",
        ),
        Claim(
            "iocp-immediate-success-queues-packet",
            "An operation on a bound handle that succeeds at once queues exactly one packet.",
            "Microsoft: I/O Completion Ports",
        ),
    ),
    needs=("iocp",),
)
