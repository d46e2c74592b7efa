"""`evkit iocp post`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.iocp.values import word
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.cli.quantities import at_least_one

app = new_app()


@app.command(epilog=examples("evkit iocp post --bytes 4096 --key 0xc0ffee --overlapped 0x1234"))
def post(
    size: Annotated[
        int, typer.Option("--bytes", parser=word(32), metavar="N", help="The packet's count, 32 bits.")
    ] = 0,
    key: Annotated[int, typer.Option(parser=word(64), metavar="WORD", help="Its key, 64 bits.")] = 0,
    overlapped: Annotated[
        int, typer.Option(parser=word(64), metavar="WORD", help="Its OVERLAPPED pointer, any 64 bits.")
    ] = 0,
    times: Annotated[int, typer.Option(parser=at_least_one, metavar="N", help="How many to post.")] = 1,
    json: Json = False,
) -> None:
    """Post packets to a new port and print each as it is taken: their three words are free to use."""
    from toolkit.primitives.iocp import CompletionPort

    output = Output(json)
    with CompletionPort() as port:
        for _ in range(times):
            port.post(size, key, overlapped)
            packet = port.wait(1000)
            if packet is None:
                raise TimeoutError("the packet that was just posted did not come back")
            record = {
                "type": "event",
                "primitive": "iocp",
                "operation": "post",
                "bytes": packet.bytes,
                "key": hex(packet.key),
                "overlapped": hex(packet.overlapped),
                "error": packet.error,
            }
            output.result(
                record, f"bytes={packet.bytes} key={packet.key:#x} overlapped={packet.overlapped:#x}"
            )
