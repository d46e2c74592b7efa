"""Events, waitable timers, and waits that the system's thread pool makes for us and turns into packets.

https://learn.microsoft.com/windows/win32/api/threadpoollegacyapiset/nf-threadpoollegacyapiset-registerwaitforsingleobject
"""

from collections.abc import Callable
from types import TracebackType
from typing import Any

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import error_of, fail
from toolkit.primitives.iocp import INFINITE, CompletionPort
from toolkit.primitives.owned_handle import HandleLike, OwnedHandle, pointer_of

_HUNDRED_NS_PER_S = 10_000_000


def wait_for(handle: HandleLike, timeout_ms: int = INFINITE) -> bool:
    """WaitForSingleObject: True when `handle` is signalled, False at the timeout.

    Raises:
        WindowsCallError: it cannot be waited for.
    """
    result = windows.lib.WaitForSingleObject(pointer_of(handle), timeout_ms)
    if result not in (windows.lib.WAIT_OBJECT_0, windows.lib.WAIT_TIMEOUT):
        fail("WaitForSingleObject", handle, timeout_ms)
    return bool(result == windows.lib.WAIT_OBJECT_0)


class Event(OwnedHandle):
    """An event: set or not."""

    __slots__ = ()

    def __init__(self, *, manual_reset: bool = True) -> None:
        """Raises WindowsCallError when the system has no memory for it."""
        pointer = windows.lib.CreateEventW(windows.NULL, manual_reset, False, windows.NULL)
        if pointer == windows.NULL:
            fail("CreateEventW", manual_reset)
        super().__init__(pointer)

    def set(self) -> None:
        """SetEvent."""
        if not windows.lib.SetEvent(pointer_of(self.handle)):
            fail("SetEvent", hex(self.handle))

    def reset(self) -> None:
        """ResetEvent."""
        if not windows.lib.ResetEvent(pointer_of(self.handle)):
            fail("ResetEvent", hex(self.handle))


class WaitableTimer(OwnedHandle):
    """A waitable timer: signalled when due, once for each waiter unless `manual_reset`."""

    __slots__ = ()

    def __init__(self, *, manual_reset: bool = False) -> None:
        """Raises WindowsCallError when the system has no memory for it."""
        pointer = windows.lib.CreateWaitableTimerW(windows.NULL, manual_reset, windows.NULL)
        if pointer == windows.NULL:
            fail("CreateWaitableTimerW", manual_reset)
        super().__init__(pointer)

    def set(self, after_s: float, period_ms: int = 0) -> None:
        """SetWaitableTimer: due in `after_s` seconds, then each `period_ms`; 0 means once.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        due = windows.ffi.new("LARGE_INTEGER *")
        due.QuadPart = -round(after_s * _HUNDRED_NS_PER_S)  # negative: from now on
        if not windows.lib.SetWaitableTimer(
            pointer_of(self.handle), due, period_ms, windows.NULL, windows.NULL, False
        ):
            fail("SetWaitableTimer", hex(self.handle), after_s, period_ms)

    def cancel(self) -> None:
        """CancelWaitableTimer."""
        if not windows.lib.CancelWaitableTimer(pointer_of(self.handle)):
            fail("CancelWaitableTimer", hex(self.handle))


class RegisteredWait:
    """A wait made by the system's thread pool: `callback(timed_out)` runs on a thread of the system's."""

    def __init__(
        self,
        handle: HandleLike,
        callback: Callable[[bool], None],
        timeout_ms: int = INFINITE,
        *,
        once: bool = False,
    ) -> None:
        """RegisterWaitForSingleObject.

        Raises:
            WindowsCallError: the call failed.
        """
        self._function = windows.ffi.callback(
            "void(void *, BOOLEAN)", lambda _, expired: callback(bool(expired))
        )
        self._target = handle  # must stay open while it is waited for
        wait = windows.ffi.new("HANDLE *")
        flags = windows.lib.WT_EXECUTEONLYONCE if once else windows.lib.WT_EXECUTEDEFAULT
        if not windows.lib.RegisterWaitForSingleObject(
            wait, pointer_of(handle), self._function, windows.NULL, timeout_ms, flags
        ):
            fail("RegisterWaitForSingleObject", handle, timeout_ms, flags)
        self._wait: Any = wait[0]

    def close(self) -> None:
        """UnregisterWaitEx, waiting until no callback runs any more; again is harmless.

        Raises:
            WindowsCallError: the call failed.
        """
        wait, self._wait = self._wait, windows.NULL
        if wait != windows.NULL and not windows.lib.UnregisterWaitEx(wait, pointer_of(-1)):
            code = windows.lib.GetLastError()
            if code != windows.lib.ERROR_IO_PENDING:
                raise error_of(code, "UnregisterWaitEx", "INVALID_HANDLE_VALUE")

    def __enter__(self) -> "RegisteredWait":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def post_when_signalled(
    handle: HandleLike, port: CompletionPort, key: int, timeout_ms: int = INFINITE, *, once: bool = False
) -> RegisteredWait:
    """Turns a signalled handle (a timer, an event, a process) into a packet with `key`; its count is 1 at a timeout."""
    return RegisteredWait(handle, lambda expired: port.post(int(expired), key), timeout_ms, once=once)
