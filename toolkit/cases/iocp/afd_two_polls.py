"""One poll a socket, for all its events: two polls of one socket are not two registrations.

What it does        Polls a socket whose send buffer is full through the AFD device, as libuv and trio do: naive once
                    for SEND and once more for RECEIVE, right once for both; then makes it readable.
Why it bites        epoll keeps one entry for a descriptor; a poll is a request, and a socket takes several. On Windows
                    the one for SEND has been seen to end with RECEIVE, so that whoever waits to write is woken again
                    and again, and whoever waits to read is not.
What you will see   naive: each poll brings one packet, and which ended with what is recorded. right: RECEIVE when
                    there is something to read; cancelled and asked anew when the interest changes, SEND when there
                    is room.
References          python-trio/trio#52 and #1269; libuv/libuv#5216; Microsoft: Winsock IOCTLs (SIO_BASE_HANDLE)
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.iocp import CompletionPort


def naive(lab: "WindowsLab") -> None:
    """A poll for each event."""
    port, afd = lab.port(), lab.afd()
    port.associate(afd, 1)
    ours, theirs = lab.sockets()
    lab.fill_window(ours)
    polls = {name: lab.poll(afd, ours, name) for name in ("SEND", "RECEIVE")}
    theirs.plain.send(b"x")
    came, ends = _all_packets(lab, port), {}
    for name, operation in polls.items():
        if operation in came:
            ends[name] = lab.reported(operation)
    lab.record(
        "iocp-afd-readable-is-reported",
        ends,
        "the polls that ended when the socket was readable, and what they reported",
    )
    lab.must("iocp-afd-readable-is-reported", expected=True, observed=["RECEIVE"] in ends.values())
    afd.cancel()
    came += _all_packets(lab, port)
    lab.must(
        "iocp-afd-poll-one-packet",
        expected={"SEND": 1, "RECEIVE": 1},
        observed={name: came.count(operation) for name, operation in polls.items()},
    )


def right(lab: "WindowsLab") -> None:
    """One for both."""
    port, afd = lab.port(), lab.afd()
    port.associate(afd, 1)
    ours, theirs = lab.sockets()
    on_its_way = lab.fill_window(ours)
    both = lab.poll(afd, ours, "RECEIVE", "SEND")
    lab.must("iocp-afd-not-ready-pending", expected=True, observed=lab.nothing(port))
    theirs.plain.send(b"x")
    packet = lab.packet(port)
    lab.must(
        "iocp-afd-poll-reports-what-is-ready",
        expected=[0, True, ["RECEIVE"]],
        observed=[packet.error, packet.operation is both, lab.reported(both)],
    )
    ours.plain.recv(1)
    reading = lab.poll(afd, ours, "RECEIVE")
    afd.cancel(reading)
    lab.must("iocp-afd-poll-cancelled-995", expected=995, observed=lab.packet(port).error)
    anew = lab.poll(afd, ours, "RECEIVE", "SEND")
    while on_its_way > 0:
        on_its_way -= len(theirs.plain.recv(65536))
    packet = lab.packet(port)
    lab.must(
        "iocp-afd-poll-anew",
        expected=[0, True, ["SEND"]],
        observed=[packet.error, packet.operation is anew, lab.reported(anew)],
    )


def _all_packets(lab: "WindowsLab", port: "CompletionPort") -> list[object]:
    """The operations of the packets that come until nothing comes for a while."""
    return [packet.operation for packet in iter(lambda: lab.packet_if_any(port), None)]


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-afd-readable-is-reported",
            "When the socket is readable, some poll of it reports RECEIVE; which one, nothing says.",
            "python-trio/trio#52",
        ),
        Claim(
            "iocp-afd-poll-one-packet", "A poll brings one packet, cancelled or not.", "Microsoft: CancelIoEx"
        ),
        Claim(
            "iocp-afd-not-ready-pending",
            "A poll of a socket that is not ready stays pending.",
            "wepoll, src/afd.h",
        ),
        Claim(
            "iocp-afd-poll-reports-what-is-ready",
            "One poll for several events reports those that are there, and no other.",
            "wepoll, src/afd.h",
        ),
        Claim(
            "iocp-afd-poll-cancelled-995", "A cancelled poll's packet has error 995.", "Microsoft: CancelIoEx"
        ),
        Claim(
            "iocp-afd-poll-anew",
            "When interest changes, the poll is cancelled and asked anew; the new one reports what became ready.",
            "python-trio/trio#52",
        ),
    ),
    needs=("iocp", "afd_poll"),
)
