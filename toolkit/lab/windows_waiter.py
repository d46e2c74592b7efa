"""Threads of a Windows case."""

import threading
from collections.abc import Callable
from typing import Any

from toolkit.ffi import windows
from toolkit.lab.base import LabBase
from toolkit.lab.checks import DeadlineError
from toolkit.primitives.owned_handle import OwnedHandle
from toolkit.primitives.waits import wait_for


class WindowsWaiter:
    """A thread running one function."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._function = function
        self._arguments = arguments
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._running = threading.Event()
        self._handle: OwnedHandle | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._running.wait(5)

    def _run(self) -> None:
        lib = windows.compiled
        self._handle = OwnedHandle(lib.OpenThread(lib.SYNCHRONIZE, False, lib.GetCurrentThreadId()))
        self._running.set()
        try:
            self._outcome = self._function(*self._arguments)
        except BaseException as error:
            self._error = error

    @property
    def done(self) -> bool:
        """Whether the function has returned or raised."""
        return not self._thread.is_alive()

    def result(self, within: float = 5.0) -> Any:  # noqa: ANN401  whatever the function returns
        """What the function returned.

        Raises:
            DeadlineError: it has not returned in time.
            BaseException: what the function raised.
        """
        self._thread.join(LabBase.seconds(within))
        if not self.done:
            raise DeadlineError("a thread that had to return did not, in time")
        if self._error is not None:
            raise self._error
        return self._outcome

    def gone(self, within: float = 5.0) -> Any:  # noqa: ANN401  whatever the function returns
        """As `result`, once the system's thread has ended too: a joined thread of Python's may still be on its way out.

        Raises:
            DeadlineError: it has not ended in time.
            BaseException: what the function raised.
        """
        outcome = self.result(within)
        if self._handle is None or not wait_for(self._handle, round(LabBase.seconds(within) * 1000)):
            raise DeadlineError("a thread that had returned did not end, in time")
        return outcome
