"""Times a line of Python: compiled into the loop, so that a contestant pays for its calls and nothing around."""

import signal
import threading
from collections.abc import Callable, Mapping
from time import thread_time_ns
from typing import Final, cast

SIGNAL_SELF: Final = "kill(thread, number)"


def repeat(
    line: str, names: Mapping[str, object], clock: Callable[[], int] = thread_time_ns
) -> Callable[[int], int]:
    """A run of `line`, in which `names` are local variables.

    The clock is this thread's CPU time: work that never sleeps costs the same beside a busy neighbour.
    """
    parameters = ", ".join(f"{name}={name}" for name in names)
    source = (
        f"def run(ops, {parameters}, clock=clock):\n"
        "    rounds = range(ops)\n"
        "    begin = clock()\n"
        f"    for _ in rounds:\n        {line}\n"
        "    return clock() - begin\n"
    )
    space: dict[str, object] = {**names, "clock": clock}
    exec(source, space)  # noqa: S102  our own lines, as timeit does
    return cast("Callable[[int], int]", space["run"])


def signal_self() -> dict[str, object]:
    """The names of SIGNAL_SELF: to this thread, since another of the process may not block the signal and would die."""
    return {
        "kill": signal.pthread_kill,
        "thread": threading.get_ident(),
        "number": int(signal.SIGRTMIN),
    }
