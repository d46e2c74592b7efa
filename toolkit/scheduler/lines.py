"""Reads lines from many sources at the same time and passes each on as it comes: what `evkit tail` does."""

import os
from collections.abc import Callable, Iterable
from select import PIPE_BUF

from toolkit.scheduler.epoll_scheduler import EpollScheduler
from toolkit.scheduler.line_buffer import LONGEST_LINE, take_lines
from toolkit.scheduler.sources import Source
from toolkit.scheduler.turns import Turns

_READ_SIZE = 65536

Render = Callable[[str, bytes], bytes]
"""From a source's name and a line without its newline to what is written, newline included."""


class LineSink:
    """Writes whole lines to a descriptor that others may share, without ever blocking in write(2).

    O_NONBLOCK belongs to every holder of the file, so it is left alone: a ready pipe takes PIPE_BUF bytes at once
    (pipe(7)), and no more than that is written after each wait. A reader that stalls then stops the sources, not
    the loop.
    """

    def __init__(self, scheduler: EpollScheduler, descriptor: int) -> None:
        self._scheduler = scheduler
        self._descriptor = descriptor
        self._turns = Turns(scheduler)
        self._unwritten: list[memoryview] = []

    async def write(self, data: bytes) -> None:
        """Writes all of `data` before any other coroutine's.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        rest = memoryview(data)
        try:
            async with self._turns:
                while rest:
                    await self._scheduler.writable(self._descriptor)
                    rest = rest[os.write(self._descriptor, rest[:PIPE_BUF]) :]
        except GeneratorExit:
            self._keep(rest, partly_written=len(rest) < len(data))
            raise

    def keep(self, data: bytes) -> None:
        """Keeps what could not be written in time, for `flush`."""
        self._keep(memoryview(data), partly_written=False)

    def _keep(self, rest: memoryview, *, partly_written: bool) -> None:
        self._unwritten.insert(0 if partly_written else len(self._unwritten), rest)

    def flush(self) -> None:
        """Writes what was kept when the scheduler closed; this one blocks."""
        for rest in self._unwritten:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        self._unwritten.clear()


async def pass_lines_on(
    scheduler: EpollScheduler, source: Source, sink: LineSink, render: Render, follow: bool
) -> None:
    """Every line of `source` until its end; with `follow`, a fifo whose writers have left waits for the next.

    A last line without newline counts, also when the scheduler is closed in the middle of it.
    """
    line = bytearray()
    try:
        while True:
            if source.borrowed:  # may be a blocking descriptor: never read before it is ready
                await scheduler.readable(source.descriptor)
            chunk = await scheduler.read(source.descriptor, _READ_SIZE)
            if chunk:
                line += chunk
                if b"\n" in chunk or len(line) > LONGEST_LINE:
                    await sink.write(b"".join(render(source.name, one) for one in take_lines(line)))
            elif not source.is_at_end():
                await scheduler.readable(source.descriptor)
            elif follow and source.is_fifo and not source.borrowed:
                source.reopen()
            else:
                break
        if line:
            last, line = bytes(line), bytearray()
            await sink.write(render(source.name, last))
    finally:
        source.close()
        if line:
            sink.keep(render(source.name, bytes(line)))


def tail(
    sources: Iterable[Source],
    scheduler: EpollScheduler,
    render: Render,
    descriptor: int = 1,
    follow: bool = False,
    when_waiting: Callable[[], None] = lambda: None,
) -> tuple[int | None, LineSink]:
    """Runs until every source has ended (None) or an exit signal came (its number), and closes the scheduler.

    What could not be written by then is in the sink, for `flush`. `when_waiting` is called when all sources are
    watched.

    Raises:
        BrokenPipeError: nobody reads `descriptor` any more.
    """
    sink = LineSink(scheduler, descriptor)
    with scheduler:
        for source in sources:
            scheduler.spawn(pass_lines_on(scheduler, source, sink, render, follow))
        scheduler.spawn(_announce(scheduler, when_waiting))
        number = scheduler.run()
    return number, sink


async def _announce(scheduler: EpollScheduler, when_waiting: Callable[[], None]) -> None:
    await scheduler.sleep(0)  # every source has had its first turn then
    when_waiting()
