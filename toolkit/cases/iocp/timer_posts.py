"""A timer reaches a port through a wait of the system's thread pool.

What it does        Registers a wait for a waitable timer whose callback posts; lets it tick; unregisters.
Why it bites        A timer knows no ports. The callback runs on a thread of the system's and must not outlive what
                    it uses: unregistering has to wait for it.
What you will see   One packet a tick, never early; none after the wait was unregistered.
References          Microsoft: RegisterWaitForSingleObject, SetWaitableTimer, UnregisterWaitEx
"""

import time
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def timer_posts(lab: "WindowsLab") -> None:
    """Three ticks."""
    port, timer = lab.port(), lab.timer()
    with lab.post_when_signalled(timer, port, 7):
        started = time.monotonic()
        timer.set(0.05, 50)
        keys = [lab.packet(port).key for _ in range(3)]
        elapsed = time.monotonic() - started
    while port.wait(0) is not None:
        pass  # ticks of the time until it was unregistered
    lab.must("iocp-timer-ticks-as-packets", expected=[7] * 3, observed=keys)
    lab.must(
        "iocp-timer-never-early", expected="0.15 s or more", observed=round(elapsed, 3), holds=elapsed > 0.145
    )
    lab.must("iocp-unregistered-wait-posts-nothing", expected=True, observed=lab.nothing(port))


CASE = Case(
    variants=(timer_posts,),
    claims=(
        Claim(
            "iocp-timer-ticks-as-packets",
            "A registered wait whose callback posts turns each tick into a packet.",
            "Microsoft: RegisterWaitForSingleObject",
        ),
        Claim(
            "iocp-timer-never-early",
            "A timer is not signalled before its time.",
            "Microsoft: SetWaitableTimer",
        ),
        Claim(
            "iocp-unregistered-wait-posts-nothing",
            "After UnregisterWaitEx, told to wait, no callback runs.",
            "Microsoft: UnregisterWaitEx",
        ),
    ),
    needs=("iocp",),
)
