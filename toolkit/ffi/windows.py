"""The Windows bindings: ABI mode over kernel32, ws2_32 and ntdll, generated from cdefs/windows.

Primitives call through ``windows.lib``, looked up at each call: the tracer replaces it while it is on. A call that
fails leaves its reason in ``lib.GetLastError()``: cffi keeps it for the thread, so nothing run in between disturbs it.
"""

import sys
from typing import Any, Final

from toolkit.ffi.errors import PlatformLacksError

_platform: str = sys.platform  # a plain str, so that type checkers for Linux read on

if _platform != "win32":
    raise PlatformLacksError(
        "I/O completion ports are a Windows primitive; `evkit map` shows what takes their place here, and a Windows "
        "Python under Wine runs them on Linux (CONTRIBUTING.md says how)"
    )

from toolkit.ffi import _windows  # noqa: E402  only where it can be used

ffi: Any = _windows.ffi  # types-cffi knows neither integer_const nor getwinerror
NULL: Any = ffi.NULL
HOT: Final = (  # names of this module that the tracer replaces besides `lib`, whose look-up costs 100 ns
    "GetQueuedCompletionStatus",
    "GetQueuedCompletionStatusEx",
    "PostQueuedCompletionStatus",
    "ReadFile",
    "WriteFile",
)


_BY_WORD: Final = {"PostQueuedCompletionStatus": "BOOL (*)(HANDLE, DWORD, ULONG_PTR, ULONG_PTR)"}
"""What the system only carries and never follows is passed as a number, though its declared type is a pointer."""


class _Libraries:
    """One namespace for every declared function, whichever system library exports it."""

    def __init__(self, *names: str) -> None:
        self._opened = [ffi.dlopen(library) for library in names]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any C function or constant
        for library in self._opened:
            try:
                found = getattr(library, name)
            except ffi.error:  # declared, but another library exports it
                continue
            if name in _BY_WORD:
                found = ffi.cast(_BY_WORD[name], found)
            setattr(self, name, found)
            return found
        raise AttributeError(f"this Windows has no function {name}")

    def names(self) -> list[str]:
        """Every declared name."""
        return dir(self._opened[0])


compiled: Any = _Libraries("kernel32.dll", "ws2_32.dll", "ntdll.dll")
lib: Any = compiled
GetQueuedCompletionStatus: Any = compiled.GetQueuedCompletionStatus
GetQueuedCompletionStatusEx: Any = compiled.GetQueuedCompletionStatusEx
PostQueuedCompletionStatus: Any = compiled.PostQueuedCompletionStatus
ReadFile: Any = compiled.ReadFile
WriteFile: Any = compiled.WriteFile
