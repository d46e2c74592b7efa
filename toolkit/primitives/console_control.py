"""Ctrl-C as a packet: SetConsoleCtrlHandler.

Python's own handler only notes the signal, and the main thread raises KeyboardInterrupt when its wait ends: never,
for a wait without end. Ours runs first, on a thread of the system's, and posts.
https://learn.microsoft.com/windows/console/setconsolectrlhandler
"""

from collections.abc import Callable
from types import TracebackType

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail


class ConsoleControl:
    """Calls `react(event)` for CTRL_C_EVENT (0), CTRL_BREAK_EVENT (1) and CTRL_CLOSE_EVENT (2) while it is open.

    The handlers below ours, Python's among them, are not called.
    """

    def __init__(self, react: Callable[[int], None]) -> None:
        """Raises WindowsCallError when the handler cannot be added."""

        def handler(event: int) -> int:
            if event > windows.lib.CTRL_CLOSE_EVENT:
                return 0  # log-off and shutdown: the next handler's
            react(event)
            return 1

        self._function = windows.ffi.callback("BOOL(DWORD)", handler)
        self._open = False
        if not windows.lib.SetConsoleCtrlHandler(self._function, True):
            fail("SetConsoleCtrlHandler", True)
        self._open = True

    def close(self) -> None:
        """Removes the handler; again is harmless.

        Raises:
            WindowsCallError: the call failed.
        """
        if self._open:
            self._open = False
            if not windows.lib.SetConsoleCtrlHandler(self._function, False):
                fail("SetConsoleCtrlHandler", False)

    def __enter__(self) -> "ConsoleControl":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
