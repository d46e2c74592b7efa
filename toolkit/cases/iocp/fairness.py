"""A handle whose calls always succeed at once starves the others, unless somebody counts.

What it does        One pipe holds much data, another a little, both with the skip flag: naive reads each as long as
                    it succeeds at once, right gives others a turn after a few reads.
Why it bites        With the skip flag a loop that reads until 997 never gets back to the port while a peer writes
                    as fast as it reads.
What you will see   naive: the little pipe is served after the whole flood. right: after a few reads.
References          Microsoft: SetFileCompletionNotificationModes; compio-rs/compio#787
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_FLOOD = 200
_TURN = 8


def _served(lab: "WindowsLab", turn: int) -> int:
    """How many reads of the flooded pipe came before the first of the other."""
    port = lab.port()
    ends = []
    for key, amount in ((0, _FLOOD), (1, 1)):
        server, client = lab.pipe()
        port.associate(server, key)
        lab.skip_packets_on_success(server)
        lab.fill(client, b"x" * amount)
        ends.append(server)
    served: list[int] = []
    while 1 not in served:
        for number, server in enumerate(ends):
            for _ in range(turn):
                operation = lab.operation(1)
                if lab.started(server.read, operation) != "DONE_NO_PACKET":
                    server.cancel(operation)
                    lab.packet(port)
                    break
                served.append(number)
    return served.index(1)


def naive(lab: "WindowsLab") -> None:
    """Until nothing is there."""
    lab.must("iocp-ready-handle-starves-others", expected=_FLOOD, observed=_served(lab, 10**6))


def right(lab: "WindowsLab") -> None:
    """A few at a time."""
    lab.must("iocp-turns-are-fair", expected=_TURN, observed=_served(lab, _TURN))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-ready-handle-starves-others",
            "Reading one handle until it is pending serves nobody else meanwhile.",
            "compio-rs/compio#787",
        ),
        Claim(
            "iocp-turns-are-fair",
            "A bound on reads in a row bounds how long the others wait.",
            "compio-rs/compio#787",
        ),
    ),
    needs=("iocp",),
)
