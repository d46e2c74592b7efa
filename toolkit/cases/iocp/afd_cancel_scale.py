"""Cancelling looks through what is outstanding: spread many polls over several handles.

What it does        Starts polls of many sockets through AFD devices and cancels each by itself, in no order: naive all
                    on one handle, few and then many; right as many, but only a few on each handle.
Why it bites        CancelIoEx finds the operation among those of its handle. With all polls of a process on one, each
                    change of interest costs more the more sockets there are: with 30,000 a hundred times as much.
What you will see   Every cancelled poll brings one packet with 995, on one handle or on many. What a cancel cost with
                    many, beside few, is recorded: it says which way this system looks them up.
References          python-trio/trio#1280 and #52; Microsoft: CancelIoEx
"""

import random
import time
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab

_FEW = 16
_MANY = 192


def naive(lab: "WindowsLab") -> None:
    """One handle for all."""
    _cancel_all(lab, _MANY, _MANY)


def right(lab: "WindowsLab") -> None:
    """A handle for every few."""
    _cancel_all(lab, _MANY, _FEW)


def _cancel_all(lab: "WindowsLab", sockets: int, polls_a_handle: int) -> None:
    few_ns, few = _cost_of_a_cancel(lab, _FEW, _FEW)
    many_ns, many = _cost_of_a_cancel(lab, sockets, polls_a_handle)
    lab.must("iocp-afd-cancelled-one-packet-each", expected=[_FEW, sockets], observed=[few, many])
    lab.record(
        "iocp-afd-cancelled-one-packet-each",
        round(many_ns / few_ns, 1),
        f"times what a cancel costs with {_FEW} polls, with {sockets}, {polls_a_handle} a handle",
    )


def _cost_of_a_cancel(lab: "WindowsLab", sockets: int, polls_a_handle: int) -> tuple[float, int]:
    """Nanoseconds, and how many of the polls brought a packet with 995."""
    port = lab.port()
    polls = []
    for number in range(sockets):
        if number % polls_a_handle == 0:
            afd = lab.afd()
            port.associate(afd, number)
        polls.append((afd, lab.poll(afd, lab.datagram_socket(), "RECEIVE")))
    random.Random(1).shuffle(polls)  # noqa: S311  an order, not a secret
    begin = time.perf_counter_ns()
    for afd, operation in polls:
        afd.cancel(operation)
    cost = (time.perf_counter_ns() - begin) / sockets
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
    needs=("iocp",),
)
