"""Closing a port under its waiters is no way to stop them.

What it does        naive: closes the port while a thread waits in it. right: posts a packet that each worker passes
                    on, and closes the port when all have left.
Why it bites        Windows ends such waits with 735, but only if the handle really was the last one; a worker that
                    is between two waits then waits on a number that may belong to another port. Wine does not wake
                    the waiter at all.
What you will see   naive: the waiter ends with 735 (Windows). right: every worker leaves by itself, before the port
                    is closed.
References          Microsoft: GetQueuedCompletionStatus; boostorg/asio#425; microsoft/Detours#264;
                    cppalliance/corosio#160
"""

import time
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """Closes the handle and hopes."""
    port = lab.port()

    def wait() -> int:
        return lab.error_of(port.wait, 1500) or 258

    waiter = lab.thread(wait)
    time.sleep(0.2)  # nothing shows that a thread is in the wait; 6 instead of 735 would mean it was not yet
    lab.lib.CloseHandle(lab.pointer_of(port))
    lab.must("iocp-close-port-wakes-735", expected=735, observed=waiter.result())


def right(lab: "WindowsLab") -> None:
    """One sentinel, passed on."""
    port = lab.port()

    def worker() -> int:
        packet = port.wait()
        port.post(key=7)
        return packet.key if packet else -1

    workers = [lab.thread(worker) for _ in range(4)]
    port.post(key=7)
    left = [one.result() for one in workers]
    port.close()
    lab.must("iocp-sentinel-before-close", expected=[[7] * 4, True], observed=[left, port.closed])


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-close-port-wakes-735",
            "Closing a port's last handle ends the waits in it with FALSE, a NULL OVERLAPPED and error 735.",
            "Microsoft: GetQueuedCompletionStatus",
        ),
        Claim(
            "iocp-sentinel-before-close",
            "Workers that pass a sentinel on have all left before the port is closed.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
