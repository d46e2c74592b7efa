"""Ctrl-C and SIGTERM while workers run: the first ends the run early, a second gives it up."""

import signal
from types import FrameType
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """While entered, sets the run's `stop` at the first signal and `abort` at the second.

    `number` is the first signal, 0 while none came. Restores the handlers.
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
        self._before = {number: signal.signal(number, self._handle) for number in _ENDING}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
