"""The table of probes: a name, and a function that makes the real call."""

import os
from collections.abc import Callable
from functools import cache

from toolkit.features.feature import Feature


def _kcmp() -> Feature:
    from toolkit.ffi.errors import errno_name
    from toolkit.ffi.linux import compiled

    me = os.getpid()
    result = compiled.evk_kcmp(me, me, compiled.KCMP_FILE, 0, 0)
    reason = None if result >= 0 else f"kcmp(2) says {errno_name(-result)}"
    return Feature("kcmp", "processes", result >= 0, reason=reason)


PROBES: dict[str, Callable[[], Feature]] = {"kcmp": _kcmp}


@cache
def probe(name: str) -> Feature:
    """Tries one feature, once a process.

    Raises:
        KeyError: no probe has that name.
    """
    return PROBES[name]()
