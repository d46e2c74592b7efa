"""The exit codes that scripts rely on, and which one wins when several apply."""

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """What the command's status says."""

    OK = 0
    DIFFERED = 1
    USAGE = 2
    LACKS = 77
    HARNESS = 99
    TIMEOUT = 124
    CANNOT_EXECUTE = 126
    NOT_FOUND = 127


_PRECEDENCE = (Exit.HARNESS, Exit.DIFFERED, Exit.TIMEOUT, Exit.LACKS, Exit.OK)


def by_signal(number: int) -> int:
    """The shell's status for an end by signal `number`: 130 for SIGINT, 143 for SIGTERM."""
    return 128 + number


def worst(codes: Iterable[Exit]) -> Exit:
    """The code that wins: 99, then 1, 124, 77, 0. Nothing at all is LACKS, since zero work is never a pass."""
    seen = set(codes)
    return next((code for code in _PRECEDENCE if code in seen), Exit.LACKS)
