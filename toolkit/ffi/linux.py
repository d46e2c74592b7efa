"""The compiled Linux bindings.

Primitives call through ``linux.lib``, looked up at each call: the tracer replaces it while it is on, so that tracing
costs nothing while it is off. Every ``evk_`` call returns its result, or -errno.
"""

import sys
from typing import Any

from toolkit.ffi.errors import PlatformLacksError

_platform: str = sys.platform  # a plain str, so that type checkers for Windows read on

if _platform != "linux":
    raise PlatformLacksError(
        "epoll, eventfd and signalfd are Linux primitives; `evkit map` shows what takes their place here"
    )

from toolkit.ffi import _linux  # noqa: E402  after the platform check

ffi = _linux.ffi
compiled: Any = _linux.lib
lib: Any = compiled
