"""Which CPU each worker runs on. A wake-up across CPUs costs ten times one on the same CPU, so it is a choice."""

import os
from collections.abc import Iterable


def cpus_for(pin: str, workers: int, usable: Iterable[int] | None = None) -> list[set[int] | None]:
    """One CPU set a worker (None: leave it to the scheduler), for `none`, `same`, `spread` or a list `0,2-3`.

    `usable` are the CPUs this process may use, where sched_getaffinity(2) does not say.

    Raises:
        ValueError: an unreadable list, or a CPU this process may not use.
    """
    allowed = sorted(os.sched_getaffinity(0) if usable is None else usable)
    if pin == "none":
        return [None] * workers
    if pin == "same":
        return [{allowed[0]}] * workers
    chosen = allowed if pin == "spread" else parse_cpus(pin)
    foreign = [cpu for cpu in chosen if cpu not in allowed]
    if foreign:
        named = ",".join(map(str, allowed))
        raise ValueError(f"CPU {foreign[0]} is not available to this process; usable are {named}")
    return [{chosen[index % len(chosen)]} for index in range(workers)]


def parse_cpus(text: str) -> list[int]:
    """The CPU numbers in `0,2-3`, in the order given.

    Raises:
        ValueError: not such a list.
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"{text!r} is not none, same, spread or a list of CPUs such as 0,2-3")
        numbers = range(int(first), int(last) + 1) if dash else range(int(first), int(first) + 1)
        if not numbers or numbers[-1] > 65535:
            raise ValueError(f"{part!r} is not a range of CPUs")
        found.extend(numbers)
    return found
