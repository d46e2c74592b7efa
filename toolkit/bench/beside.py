"""Threads beside the timed one: they have ended before what they use is closed, also when a signal ends the turn."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress

from toolkit.bench.contest import Run
from toolkit.stress.crew import signals_left_to_main


@contextmanager
def beside(works: Sequence[Callable[[], object]], release: Callable[[], object]) -> Iterator[None]:
    """Each of `works` in a thread of its own; all have ended at the end of the block.

    When the block or the wait is broken off, `release` ends the works first.
    """
    ended = [threading.Event() for _ in works]
    threads = [
        threading.Thread(target=_tell, args=(work, event), daemon=True)
        for work, event in zip(works, ended, strict=True)
    ]
    try:
        # a signal that broke off the start would leave threads that wait for the others
        with signals_left_to_main():
            for thread in threads:
                thread.start()
        yield
        for event in ended:
            event.wait()
    except BaseException:
        with signals_left_to_main():  # also from a second one: the works end at once now
            release()
            for thread, event in zip(threads, ended, strict=True):
                if thread.ident is not None:
                    event.wait()
        raise


def _tell(work: Callable[[], object], ended: threading.Event) -> None:
    """Not join(): CPython up to 3.12 takes a thread for ended when a signal breaks a join of it off (bpo-45274)."""
    try:
        work()
    finally:
        ended.set()


def answering(answer: Run, ops: int, reads: int) -> AbstractContextManager[None]:
    """`answer` beside the block. It reads the eventfd `reads`, which fails once it need not wait any more."""

    def until_it_fails() -> None:
        with suppress(BlockingIOError):
            answer(ops)

    def release() -> None:
        os.set_blocking(reads, False)
        os.eventfd_write(reads, 1)  # who sleeps in read(2) sleeps on

    return beside([until_it_fails], release)
