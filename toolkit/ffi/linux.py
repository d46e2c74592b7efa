"""The compiled Linux bindings.

Primitives call through ``linux.lib``, looked up at each call: the tracer replaces it while it is on, so that tracing
costs nothing while it is off. Every ``evk_`` call returns its result, or -errno.

The calls of HOT are names of this module as well, which the tracer replaces too: cffi's ``lib`` looks a name up in a
dictionary of its own at each access (about 35 ns), a module's attribute costs next to nothing.
"""

import sys
from typing import Any, Final

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

HOT: Final = (
    "evk_epoll_add",
    "evk_epoll_add_self",
    "evk_epoll_del",
    "evk_epoll_mod",
    "evk_epoll_mod_self",
    "evk_epoll_wait",
    "evk_epoll_wait_one",
    "evk_eventfd_read",
    "evk_eventfd_write",
    "evk_eventfd_write_one",
    "evk_signalfd_read",
    "evk_signalfd_read_number",
)
evk_epoll_add: Any = compiled.evk_epoll_add
evk_epoll_add_self: Any = compiled.evk_epoll_add_self
evk_epoll_del: Any = compiled.evk_epoll_del
evk_epoll_mod: Any = compiled.evk_epoll_mod
evk_epoll_mod_self: Any = compiled.evk_epoll_mod_self
evk_epoll_wait: Any = compiled.evk_epoll_wait
evk_epoll_wait_one: Any = compiled.evk_epoll_wait_one
evk_eventfd_read: Any = compiled.evk_eventfd_read
evk_eventfd_write: Any = compiled.evk_eventfd_write
evk_eventfd_write_one: Any = compiled.evk_eventfd_write_one
evk_signalfd_read: Any = compiled.evk_signalfd_read
evk_signalfd_read_number: Any = compiled.evk_signalfd_read_number
