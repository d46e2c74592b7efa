"""A cancel and the data race; exactly one packet comes.

What it does        Cancels reads while another thread writes, many times.
Why it bites        Either may win. Code that expects 995 after every cancel loses data, and code that expects none
                    waits for ever.
What you will see   One packet each time, with 995 or with the data; and what was not read is read by the next.
References          Microsoft: CancelIoEx; lewissbaker/cppcoro#68; nanomsg/nng#1599
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_ROUNDS = 40


def cancel_race(lab: "WindowsLab") -> None:
    """Both at once."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    cancelled, data = 0, b""
    for number in range(_ROUNDS):
        operation = lab.operation(1)
        server.read(operation)
        writer = lab.thread(lab.fill, client, bytes([number]))
        server.cancel(operation)
        packet = lab.packet(port)
        if packet.error == 995:
            cancelled += 1
        else:
            data += operation.data(packet.bytes)
        writer.result()
    while len(data) < _ROUNDS:
        operation = lab.operation(_ROUNDS)
        server.read(operation)
        data += operation.data(lab.packet(port).bytes)
    lab.must(
        "iocp-cancel-race-one-packet",
        expected=[True, True],
        observed=[data == bytes(range(_ROUNDS)), lab.nothing(port)],
    )
    lab.record("iocp-cancel-race-one-packet", cancelled, f"cancels that won, of {_ROUNDS}")


CASE = Case(
    variants=(cancel_race,),
    claims=(
        Claim(
            "iocp-cancel-race-one-packet",
            "An operation that is cancelled while it ends brings exactly one packet, and no data is lost.",
            "Microsoft: CancelIoEx",
        ),
    ),
    needs=("iocp",),
)
