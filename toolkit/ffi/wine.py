"""Whether this Windows is Wine, and which: it tells, by a function that Windows does not have."""

import sys


def wine_version() -> str | None:
    """`8.0` under Wine; None on Windows itself, and elsewhere."""
    platform: str = sys.platform  # a plain str, so that type checkers for Linux read on
    if platform != "win32":
        return None
    import ctypes  # the function is in no header: it is only looked for

    try:
        tell = ctypes.CDLL("ntdll.dll").wine_get_version
    except (AttributeError, OSError):
        return None
    tell.restype = ctypes.c_char_p
    return str(tell().decode())
