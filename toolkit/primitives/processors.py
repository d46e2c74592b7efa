"""Which processors this process may use, and binding a thread to some. The first group of 64 only.

https://learn.microsoft.com/windows/win32/api/winbase/nf-winbase-setthreadaffinitymask
"""

from collections.abc import Iterable

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail

_MOST = 64


def usable() -> list[int]:
    """The numbers of the processors this process may use (GetProcessAffinityMask), in order.

    Raises:
        WindowsCallError: the call failed.
    """
    mine, of_system = windows.ffi.new("ULONG_PTR *"), windows.ffi.new("ULONG_PTR *")
    if not windows.lib.GetProcessAffinityMask(windows.lib.GetCurrentProcess(), mine, of_system):
        fail("GetProcessAffinityMask")
    return [number for number in range(_MOST) if mine[0] >> number & 1]


def bind_thread(numbers: Iterable[int]) -> list[int]:
    """Has the calling thread run on these only; gives back where it might run before.

    Raises:
        WindowsCallError: 87 for a processor that this process may not use.
    """
    mask = sum(1 << number for number in set(numbers))
    before: int = windows.lib.SetThreadAffinityMask(windows.lib.GetCurrentThread(), mask)
    if not before:
        fail("SetThreadAffinityMask", hex(mask))
    return [number for number in range(_MOST) if before >> number & 1]
