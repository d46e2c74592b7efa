"""Ctrl-C and SIGTERM as one exception, so that what was gathered is written before the command ends."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class EndedBySignal(KeyboardInterrupt):
    """SIGINT or SIGTERM arrived; whoever gathers catches KeyboardInterrupt, writes, and raises it again."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_held = False
_waiting: int | None = None
_arrived: int | None = None


@contextmanager
def held() -> Iterator[None]:
    """A signal that arrives in the block is raised at its end, so that what is written there stays whole.

    A second one is raised at once: whoever insists does not wait for a reader that does not read.
    """
    global _held, _waiting
    _held = True
    try:
        yield
    finally:
        _held = False
    if _waiting is not None:
        number, _waiting = _waiting, None
        raise EndedBySignal(number)


def raise_if_arrived() -> None:
    """Raises EndedBySignal when a signal arrived whose exception somebody's code lost.

    Python runs a handler between any two instructions, also in a hook whose exceptions it throws away.
    """
    if _arrived is not None:
        raise EndedBySignal(_arrived)


def _raise(number: int, _frame: FrameType | None) -> None:
    global _arrived, _waiting
    _arrived = number
    if _held and _waiting is None:
        _waiting = number
        return
    _waiting = None
    raise EndedBySignal(number)


def raise_on_end_signals() -> None:
    """SIGINT and SIGTERM raise EndedBySignal in the main thread, unless they were ignored when we were started."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)


def exit_on_end_signals() -> None:
    """From now on they end the process at once: all is written, and an exception could only tear the exit apart."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is _raise:
            signal.signal(number, _exit)


def _exit(number: int, _frame: FrameType | None) -> None:
    os._exit(128 + number)
