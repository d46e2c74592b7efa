"""Ctrl-C reaches a loop that waits without end only through a handler that posts.

What it does        Sends Ctrl-C to a process with a console of its own that waits on a port: naive leaves it to
                    Python, right installs a console handler that posts.
Why it bites        Python notes the signal and raises KeyboardInterrupt when the main thread's call returns: after
                    the timeout of the wait, or never.
What you will see   naive: the wait runs to its timeout first. right: the packet comes at once.
References          Microsoft: SetConsoleCtrlHandler, GenerateConsoleCtrlEvent
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


_SCRIPT = """
import sys, threading, time
from toolkit.ffi import windows
from toolkit.primitives.console_control import ConsoleControl
from toolkit.primitives.iocp import CompletionPort
port = CompletionPort()
posts = sys.argv[1] == "posts"
handler = ConsoleControl(lambda event: port.post(event + 1, 0xC7)) if posts else None
windows.lib.SetConsoleCtrlHandler(windows.ffi.NULL, False)
threading.Timer(0.3, windows.lib.GenerateConsoleCtrlEvent, (0, 0)).start()
began = time.monotonic()
try:
    packet = port.wait(3000)
except KeyboardInterrupt:
    packet = None
print(int(packet is not None and packet.key == 0xC7), int(time.monotonic() - began >= 2.9))
"""


def naive(lab: "WindowsLab") -> None:
    """Python's own handler."""
    lab.must(
        "iocp-keyboard-interrupt-after-the-wait", expected="0 1", observed=lab.in_console(_SCRIPT, "waits")
    )


def right(lab: "WindowsLab") -> None:
    """A handler that posts."""
    lab.must("iocp-console-handler-posts", expected="1 0", observed=lab.in_console(_SCRIPT, "posts"))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-keyboard-interrupt-after-the-wait",
            "Ctrl-C does not end a wait in the main thread; KeyboardInterrupt comes after it.",
            "observed",
        ),
        Claim(
            "iocp-console-handler-posts",
            "A console handler that posts ends the wait at once.",
            "Microsoft: SetConsoleCtrlHandler",
        ),
    ),
    needs=("iocp",),
)
