"""Ctrl-C and SIGTERM while workers run: the first ends the run early, a second gives it up."""

import signal
from types import FrameType
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM)


def leave_the_end_to_parent() -> None:
    """In a forked child: Ctrl-C, timeout(1) and service managers signal the whole group, and the parent decides."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


class Interruption:
    """While entered, sets the run's `stop` at the first signal and `abort` at the second.

    `number` is the first signal, 0 while none came. Restores the handlers. What is ignored, as Ctrl-C is in a shell's
    background jobs, stays ignored.
    """

    def __init__(self, run: Any) -> None:  # noqa: ANN401  cffi data has no static type
        self._run = run
        self.number = 0

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            self._run.abort = 1
        self.number = self.number or number
        self._run.stop = 1

    def __enter__(self) -> "Interruption":
        heard = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._handle) for number in heard}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
