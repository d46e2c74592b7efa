"""`evkit iocp read`."""

from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json
from toolkit.cli.output import Output
from toolkit.cli.quantities import at_least_one, count
from toolkit.cli.refusal import refuse
from toolkit.cli.signals import EndedBySignal
from toolkit.exits import Exit

app = new_app()


@app.command(epilog=examples("evkit iocp read setup.log", "evkit iocp read setup.log --naive-eof"))
def read(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file to read block by block.")],
    size: Annotated[int, typer.Option("--size", parser=count, metavar="N", help="Bytes in a block.")] = 4096,
    naive_offset: Annotated[
        bool, typer.Option("--naive-offset", help="Never set Offset: the first block for ever.")
    ] = False,
    naive_eof: Annotated[
        bool, typer.Option("--naive-eof", help="Wait for 0 bytes as the end: a packet that never comes.")
    ] = False,
    times: Annotated[
        int,
        typer.Option(
            "--times", parser=at_least_one, metavar="N", help="How long a fault is watched: N rounds."
        ),
    ] = 3,
    json: Json = False,
) -> Exit:
    """Read FILE with overlapped calls in a coroutine, telling each call and its end.

    Status 0 when FILE was read, or when the fault that was asked for showed itself; 1 when it did not.
    """
    if naive_offset and naive_eof:
        refuse("--naive-offset and --naive-eof are two stories; ask for one")
    if not 1 <= size < 1 << 32:
        refuse(f"--size {size}: a block has 1 to 4294967295 bytes")
    import signal

    from toolkit.scheduler.completion_port import CompletionPortScheduler
    from toolkit.scheduler.handle_source import CannotRead, HandleSource
    from toolkit.scheduler.read_file import ReadEvent, read_blocks, read_until_zero_bytes, read_without_offset

    output = Output(json)

    def tell(event: ReadEvent) -> None:
        output.result(event, event.text)

    try:
        source = HandleSource.open(file)
    except CannotRead as error:
        refuse(str(error))
    showed = True
    try:
        if naive_eof:
            return Exit.OK if read_until_zero_bytes(source, size, tell, times) else Exit.DIFFERED
        with CompletionPortScheduler([signal.SIGINT]) as scheduler:

            async def reader() -> None:
                nonlocal showed
                if naive_offset:
                    showed = await read_without_offset(scheduler, source, size, tell, times)
                else:
                    await read_blocks(scheduler, source, size, tell)

            scheduler.spawn(reader())
            number = scheduler.run()
    finally:
        source.close()
    if number is not None:
        raise EndedBySignal(number)
    return Exit.OK if showed else Exit.DIFFERED
