"""What distorts a measurement here: too few CPUs, clocks that change, idle CPUs that halt, busy neighbours."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_SPIN_NS = 50_000_000
_LEAST_SHARE = 0.95


def caveats() -> Iterator[str]:
    """One sentence for each thing that distorts."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) == 1:
        yield "one CPU: waker and waiter take turns, so wake-ups across CPUs cannot be seen"
    governor = _read(_CPUS / f"cpu{usable[0]}/cpufreq/scaling_governor")
    if governor not in ("", "performance"):
        yield f"frequency scaling: the governor is {governor}; `cpupower frequency-set -g performance` pins it"
    if len(usable) > 1:
        yield from _idle()
    share = share_of_cpu()
    if share < _LEAST_SHARE:
        yield f"a busy neighbour: this process got {share:.0%} of a CPU while it wanted all of it; trust ratios only"


def share_of_cpu() -> float:
    """How much of a CPU a busy loop of 50 ms gets, 0 to 1."""
    begin, used = time.monotonic_ns(), time.thread_time_ns()
    while time.monotonic_ns() - begin < _SPIN_NS:
        pass
    return (time.thread_time_ns() - used) / (time.monotonic_ns() - begin)


def _idle() -> Iterator[str]:
    """A halted CPU answers late: 50 us instead of 5 on a virtual machine that exits to its host to halt."""
    driver = _read(_CPUS / "cpuidle/current_driver")
    hypervisor = "hypervisor" in _read(Path("/proc/cpuinfo"))
    if hypervisor and driver in ("", "none"):
        yield "a virtual machine whose idle CPUs halt: a wake-up across CPUs goes through the host, ten times as dear"
    elif driver not in ("", "none", "haltpoll"):
        yield f"idle CPUs sleep (cpuidle driver {driver}): wake-ups are slower than between busy CPUs"


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
