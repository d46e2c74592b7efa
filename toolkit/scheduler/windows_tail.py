"""`tail` on a completion port: the lines of many files and named pipes, until all have ended or Ctrl-C."""

import signal
from collections.abc import Callable, Iterable

from toolkit.scheduler.completion_port import CompletionPortScheduler, Log
from toolkit.scheduler.handle_source import HandleSource, NotThere
from toolkit.scheduler.line_buffer import LONGEST_LINE, take_lines

_READ_SIZE = 65536
_LOOK_AGAIN_S = 0.1
"""Growth is looked for, not announced: a directory's changes name a file only when its writer closes or flushes it, and
not at all on many network shares."""
TIME_LIMIT = 14
"""What `tail_handles` returns when its time has passed: the number SIGALRM has where there is one."""

Write = Callable[[str, list[bytes]], None]
"""Takes a source's name and some lines of it, without their newlines."""


def tail_handles(
    sources: Iterable[HandleSource],
    write: Write,
    log: Log,
    timeout_s: float | None,
    when_waiting: Callable[[], None],
    follow: bool = False,
) -> int | None:
    """Until every source has ended (None), Ctrl-C or a closed console (the signal's number), or TIME_LIMIT.

    With `follow` only standard input ends: a file may grow, and a pipe's name may have its next server.

    Raises:
        OSError: a source failed; BrokenPipeError: nobody reads what `write` writes.
    """
    with CompletionPortScheduler((signal.SIGINT, signal.SIGTERM), log) as scheduler:
        left = 0

        async def read(source: HandleSource) -> None:
            nonlocal left
            await _pass_lines_on(scheduler, source, write, follow)
            left -= 1
            if left == 0:
                scheduler.stop(0)

        async def give_up(seconds: float) -> None:
            await scheduler.sleep(seconds)
            scheduler.stop(TIME_LIMIT)

        for source in sources:
            left += 1
            scheduler.spawn(read(source))
        if timeout_s is not None:
            scheduler.spawn(give_up(timeout_s))
        when_waiting()
        return scheduler.run() or None


async def _pass_lines_on(
    scheduler: CompletionPortScheduler, source: HandleSource, write: Write, follow: bool
) -> None:
    line = bytearray()
    try:
        while True:
            data = await scheduler.read(source, _READ_SIZE)
            if data:
                line += data
                if b"\n" in data or len(line) > LONGEST_LINE:
                    write(source.name, [one.removesuffix(b"\r") for one in take_lines(line)])
            elif source.ends or not follow:
                break
            elif source.seekable:
                await scheduler.sleep(_LOOK_AGAIN_S)
                if source.size() < source.offset:  # it was cut: its new start is what follows
                    source.offset = 0
            else:
                source = await _next_server(scheduler, source)
    finally:
        source.close()
        if line:
            write(source.name, [bytes(line).removesuffix(b"\r")])


async def _next_server(scheduler: CompletionPortScheduler, source: HandleSource) -> HandleSource:
    """The pipe of the same name, once there is one again."""
    source.close()
    while True:
        try:
            return HandleSource.open(source.name)
        except NotThere:
            await scheduler.sleep(_LOOK_AGAIN_S)
