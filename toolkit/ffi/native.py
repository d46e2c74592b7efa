"""The bindings of the platform this runs on, for what works with either: the tracer."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

_platform: str = sys.platform  # a plain str, so that type checkers read both branches
bindings: Any
FORMATS: Mapping[str, Callable[[tuple[Any, ...], Any], list[tuple[str, str, int | str]]]]

if _platform == "win32":
    from toolkit.ffi import windows
    from toolkit.ffi.windows_call_formats import FORMATS as WINDOWS_FORMATS

    bindings = windows
    FORMATS = WINDOWS_FORMATS
else:
    from toolkit.ffi import linux
    from toolkit.ffi.call_formats import FORMATS as LINUX_FORMATS

    bindings = linux
    FORMATS = LINUX_FORMATS
