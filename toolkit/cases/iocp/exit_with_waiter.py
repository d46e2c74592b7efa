"""A process ends although a thread of it waits on a port without end.

What it does        Runs a process whose daemon thread is in a wait without a timeout when the main thread returns.
Why it bites        A wait cannot be interrupted from within; a runtime that joins its threads at exit would hang
                    there.
What you will see   The process ends with status 0.
References          Microsoft: ExitProcess
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_SCRIPT = """
import sys, threading
from toolkit.primitives.iocp import CompletionPort
port = CompletionPort()
threading.Thread(target=port.wait, daemon=True).start()
print(sys.argv[1], flush=True)
"""


def exit_with_waiter(lab: "WindowsLab") -> None:
    """One daemon thread."""
    lab.must("iocp-exit-with-waiting-daemon", expected="ends", observed=lab.in_console(_SCRIPT, "ends"))


CASE = Case(
    variants=(exit_with_waiter,),
    claims=(
        Claim(
            "iocp-exit-with-waiting-daemon",
            "A process with a daemon thread in an infinite wait ends when its main thread does.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
