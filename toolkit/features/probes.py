"""The table of probes, for the platform this runs on."""

import sys
from collections.abc import Iterator
from functools import cache

from toolkit.features.feature import Feature
from toolkit.features.trying import MissingError, Probe


def _elsewhere(home: str, or_else: str = "") -> Probe:
    def missing() -> None:
        raise MissingError(f"a primitive of {home}; `evkit map` shows what takes its place{or_else}")

    return Probe("platform", f"the primitive of {home}", missing)


def _table() -> dict[str, Probe]:
    platform: str = sys.platform  # a plain str, so that type checkers for Windows read on
    if platform == "linux":
        from toolkit.features import epoll, eventfd, limits, neighbours, network, processes, signalfd

        rooms = (epoll, eventfd, signalfd, processes, limits, network, neighbours)
        table = {name: probe for room in rooms for name, probe in room.PROBES.items()}
        return table | {"iocp": _elsewhere("Windows", ", and a Windows Python under Wine runs it here")}
    missing = {name: _elsewhere("Linux") for name in ("epoll", "eventfd", "signalfd")}
    if platform == "win32":
        from toolkit.features import iocp

        return iocp.PROBES | missing
    return missing


PROBES = _table()


@cache
def probe(name: str) -> Feature:
    """Tries one feature, once a process.

    Raises:
        KeyError: no probe has that name.
    """
    return PROBES[name].run(name)


def probe_all() -> Iterator[Feature]:
    """Tries every feature, in the table's order."""
    return (probe(name) for name in PROBES)
