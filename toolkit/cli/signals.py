"""Ctrl-C and SIGTERM as one exception, so that what was gathered is written before the command ends."""

import signal
from types import FrameType


class EndedBySignal(KeyboardInterrupt):
    """SIGINT or SIGTERM arrived; whoever gathers catches KeyboardInterrupt, writes, and raises it again."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _raise(number: int, _frame: FrameType | None) -> None:
    raise EndedBySignal(number)


def raise_on_end_signals() -> None:
    """SIGINT and SIGTERM raise EndedBySignal in the main thread, unless they were ignored when we were started."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)
