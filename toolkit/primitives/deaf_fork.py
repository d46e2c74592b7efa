"""fork(2) whose child does not run its parent's handlers."""

import os
import signal

ENDING = (signal.SIGINT, signal.SIGTERM)


def fork_deaf() -> int:
    """fork(2) whose child hears neither SIGINT nor SIGTERM until it unblocks them.

    Until then it has its parent's handlers, which would raise the parent's exception in it and let it climb into its
    parent's stack.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    pid = os.fork()
    if pid != 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pid
