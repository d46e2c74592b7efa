"""Threads beside the timed one: they have ended before what they use is closed, also when a signal ends the turn."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress

from toolkit.bench.contest import Run
from toolkit.stress.crew import signals_left_to_main


@contextmanager
def beside(works: Sequence[Callable[[], object]], release: Callable[[], object]) -> Iterator[None]:
    """Each of `works` in a thread of its own, all joined at the end of the block.

    When the block or the wait is broken off, `release` ends the works first.
    """
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    try:
        with (
            signals_left_to_main()
        ):  # one that broke off the start would leave threads that wait for the others
            for thread in threads:
                thread.start()
        yield
        for thread in threads:
            thread.join()
    except BaseException:
        release()
        for thread in threads:
            if thread.is_alive():
                thread.join()
        raise


def answering(answer: Run, ops: int, reads: int) -> AbstractContextManager[None]:
    """`answer` beside the block. It reads the eventfd `reads`, which fails once it need not wait any more."""

    def until_it_fails() -> None:
        with suppress(BlockingIOError):
            answer(ops)

    def release() -> None:
        os.set_blocking(reads, False)
        os.eventfd_write(reads, 1)  # who sleeps in read(2) sleeps on

    return beside([until_it_fails], release)
