"""Cancelling looks through what is outstanding: spread many polls over several handles.

What it does        Starts polls of many sockets through AFD devices and cancels each by itself, in no order: naive all
                    on one handle, few and then many; right as many, but only a few on each handle.
Why it bites        CancelIoEx finds the operation among those of its handle. With all polls of a process on one, each
                    change of interest costs more the more sockets there are: with 30,000 a hundred times as much.
What you will see   Every cancelled poll brings one packet with 995, on one handle or on many. What a cancel cost with
                    many, beside few, is recorded: it says which way this system looks them up.
References          python-trio/trio#1280, #1832 and #52; piscisaureus/wepoll#40; smol-rs/polling#121; Microsoft:
                    CancelIoEx
"""

import random
import statistics
import time
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab
    from toolkit.primitives.afd_poll import AfdDevice
    from toolkit.primitives.iocp import CompletionPort
    from toolkit.primitives.overlapped_socket import OverlappedSocket

_FEW = 16
_MANY = 192
_ROUNDS = 5


def naive(lab: "WindowsLab") -> None:
    """One handle for all."""
    _cancel_all(lab, _MANY)


def right(lab: "WindowsLab") -> None:
    """A handle for every few."""
    _cancel_all(lab, _FEW)


def _cancel_all(lab: "WindowsLab", polls_a_handle: int) -> None:
    """Few and many in turn, so that what else the machine does meets both."""
    port = lab.port()
    places: list[tuple[AfdDevice, OverlappedSocket]] = []
    for number in range(_MANY):
        if number % polls_a_handle == 0:
            afd = lab.afd()
            port.associate(afd, number)
        places.append((afd, lab.datagram_socket()))
    ratios, brought = [], set()
    for _ in range(_ROUNDS):
        few_ns, few = _cost_of_a_cancel(lab, port, places[:_FEW])
        many_ns, many = _cost_of_a_cancel(lab, port, places)
        ratios.append(many_ns / few_ns)
        brought.add((few, many))
    lab.must(
        "iocp-afd-cancelled-one-packet-each",
        expected=[[[_FEW, _MANY]], True],
        observed=[sorted(brought), lab.nothing(port)],
    )
    lab.record(
        "iocp-afd-cancelled-one-packet-each",
        round(statistics.median(ratios), 1),
        f"times what a cancel costs with {_FEW} polls, with {_MANY}, {polls_a_handle} a handle",
    )


def _cost_of_a_cancel(
    lab: "WindowsLab", port: "CompletionPort", places: list[tuple["AfdDevice", "OverlappedSocket"]]
) -> tuple[float, int]:
    """Nanoseconds, and how many of the polls brought a packet with 995."""
    polls = [(afd, lab.poll(afd, sock, "RECEIVE")) for afd, sock in places]
    random.Random(1).shuffle(polls)  # noqa: S311  an order, not a secret
    begin = time.perf_counter_ns()
    for afd, operation in polls:
        afd.cancel(operation)
    cost = (time.perf_counter_ns() - begin) / len(polls)
    packets = [lab.packet(port) for _ in polls]
    return cost, len({packet.operation for packet in packets if packet.error == 995})


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-afd-cancelled-one-packet-each",
            "Of many polls, each that is cancelled brings one packet with 995, however they are spread over handles.",
            "Microsoft: CancelIoEx",
        ),
    ),
    needs=("iocp", "afd_poll"),
)
