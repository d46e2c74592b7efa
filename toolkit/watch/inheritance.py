"""What passes from one program to the next, and what gets lost on the way."""

import signal
from typing import Final

# CPython ignores these at start-up, and ignoring survives exec (signal(7)).
IGNORED_BY_PYTHON: Final = (signal.SIGPIPE, signal.SIGXFSZ)


def not_open(what: str) -> str:
    """What to say of a descriptor that should have been inherited and is closed."""
    return f"{what} is not open here; some launchers close descriptors (Python's subprocess needs pass_fds)"
