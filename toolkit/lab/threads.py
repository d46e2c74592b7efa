"""Threads that wait, and knowing when they really do.

A waiter's first blocking call stores its thread id from C, without the GIL, just before it is made. From then on
state S in /proc/self/task/TID/stat means that it sleeps in the kernel: S alone also fits a wait for the GIL.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from toolkit.ffi import linux
from toolkit.lab.base import LabBase
from toolkit.lab.checks import DeadlineError


class Waiter:
    """A thread running one function, made by `Lab.thread`."""

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        self._slot = linux.ffi.new("uint32_t *")
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(function, arguments, named), daemon=True)
        self._thread.start()

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        linux.compiled.evk_announce_next(self._slot)
        try:
            self._outcome = function(*arguments, **named)
        except BaseException as error:
            self._error = error

    @property
    def tid(self) -> int:
        """The kernel's thread id, 0 until it announced a blocking call."""
        tid: int = self._slot[0]
        return tid

    @property
    def done(self) -> bool:
        """Whether the function returned."""
        return not self._thread.is_alive()

    @property
    def ident(self) -> int:
        """The pthread id, for signal.pthread_kill."""
        return self._thread.ident or 0

    def until_asleep(self, within: float = 5.0) -> "Waiter":
        """Returns once the thread sleeps in its announced call (or has already returned from it).

        Raises:
            DeadlineError: it did neither in time.
        """
        end = time.monotonic() + LabBase.seconds(within)
        while not self.done:
            if self.tid and state_of(self.tid) in "SD":
                return self
            if time.monotonic() > end:
                raise DeadlineError("a thread did not get to its blocking call in time")
            linux.compiled.evk_yield()
        return self

    def result(self, within: float = 5.0) -> Any:  # noqa: ANN401  whatever the function returns
        """What the function returned. The thread is gone then, for the kernel too.

        A Python thread is joined a little earlier, and what still ends might take a signal that is sent to the process.

        Raises:
            DeadlineError: it has not returned in time.
            BaseException: what the function raised.
        """
        self._thread.join(LabBase.seconds(within))
        if not self.done:
            raise DeadlineError("a thread that had to return did not, in time")
        task = Path(f"/proc/self/task/{self._thread.native_id}")
        until(lambda: not task.exists(), "a thread that had returned ended")
        if self._error is not None:
            raise self._error
        return self._outcome


class Mailbox:
    """What threads tell the case, in the order in which they do."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Any] = SimpleQueue()

    def put(self, value: Any) -> None:  # noqa: ANN401  any value
        """Adds a value; never blocks."""
        self._queue.put(value)

    def take(self, within: float = 5.0) -> Any:  # noqa: ANN401  any value
        """The next value.

        Raises:
            DeadlineError: none came in time.
        """
        try:
            return self._queue.get(timeout=LabBase.seconds(within))
        except Empty:
            raise DeadlineError("no thread reported in time") from None


def state_of(tid: int) -> str:
    """The one-letter state of a thread or process; X when it is gone (proc_pid_stat(5))."""
    try:
        return Path(f"/proc/{tid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


class Threads(LabBase):
    """Starting waiters."""

    def thread(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Waiter:  # noqa: ANN401  any call
        """Runs `function` in a new thread; its first blocking call announces itself."""
        waiter = Waiter(function, arguments, named)
        self.keep(waiter)
        return waiter

    def asleep(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Waiter:  # noqa: ANN401  any call
        """As `thread`, returning once it sleeps in its blocking call."""
        return self.thread(function, *arguments, **named).until_asleep()


def until(holds: Callable[[], bool], what: str, within: float = 5.0) -> None:
    """Looks again and again until `holds` does.

    Raises:
        DeadlineError: it never did; `what` says what was waited for.
    """
    end = time.monotonic() + LabBase.seconds(within)
    while not holds():
        if time.monotonic() > end:
            raise DeadlineError(f"not in time: {what}")
        linux.compiled.evk_yield()
