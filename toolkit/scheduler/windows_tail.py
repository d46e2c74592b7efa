"""`tail` on a completion port: the lines of many files and named pipes, until all have ended or Ctrl-C."""

import signal
from collections.abc import Callable, Iterable

from toolkit.scheduler.completion_port import CompletionPortScheduler, Log
from toolkit.scheduler.handle_source import HandleSource

_READ_SIZE = 65536
TIME_LIMIT = 14
"""What `tail_handles` returns when its time has passed: the number SIGALRM has where there is one."""

Write = Callable[[str, bytes], None]
"""Takes a source's name and one line of it, without its newline."""


def tail_handles(
    sources: Iterable[HandleSource],
    write: Write,
    log: Log,
    timeout_s: float | None,
    when_waiting: Callable[[], None],
) -> int | None:
    """Until every source has ended (None), Ctrl-C or a closed console (the signal's number), or TIME_LIMIT.

    Raises:
        OSError: a source failed; BrokenPipeError: nobody reads what `write` writes.
    """
    with CompletionPortScheduler((signal.SIGINT, signal.SIGTERM), log) as scheduler:
        left = 0

        async def follow(source: HandleSource) -> None:
            nonlocal left
            await _pass_lines_on(scheduler, source, write)
            left -= 1
            if left == 0:
                scheduler.stop(0)

        async def give_up(seconds: float) -> None:
            await scheduler.sleep(seconds)
            scheduler.stop(TIME_LIMIT)

        for source in sources:
            left += 1
            scheduler.spawn(follow(source))
        if timeout_s is not None:
            scheduler.spawn(give_up(timeout_s))
        when_waiting()
        return scheduler.run() or None


async def _pass_lines_on(scheduler: CompletionPortScheduler, source: HandleSource, write: Write) -> None:
    rest = b""
    try:
        while data := await scheduler.read(source, _READ_SIZE):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                write(source.name, line.removesuffix(b"\r"))
    finally:
        source.close()
        if rest:
            last, rest = rest, b""
            write(source.name, last.removesuffix(b"\r"))
