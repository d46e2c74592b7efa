"""Numbered tokens under way: a slot is marked from before a token is sent until it is handled."""

from typing import Any, Final

from toolkit.stress.result import Invariant

SLOTS: Final = 65_536  # a power of two, more than the pipes hold


def unhandled(slots: Any) -> Invariant:  # noqa: ANN401  cffi data has no static type
    """Holds when no token is still under way; names the first that is."""
    left = sorted(slots[index].mark - 1 for index in range(SLOTS) if slots[index].mark)
    reason = f"first offending token {left[0]:#x}" if left else None
    return Invariant("no-token-left", not left, 0, len(left), reason)
