"""kcmp(2) within a budget of time: it holds an epoll's lock while it walks the interest list."""

import errno
import os
import time
from collections.abc import Iterable
from functools import cmp_to_key, lru_cache

from toolkit.ffi.errors import CallError, errno_name
from toolkit.inspect.processes import own_pid_in_proc
from toolkit.primitives.kcmp import compare_files, is_epoll_target

BUDGET = "budget"
CHANGED = "changed while it was read"
_GONE = (errno.EBADF, errno.ENOENT, errno.ESRCH)

Descriptor = tuple[int, int]
"""`(pid, fd)`."""


class Cannot(str):
    """Why a question could not be answered."""

    __slots__ = ()


@lru_cache(maxsize=1)
def kcmp_refused() -> Cannot | None:
    """Why kcmp cannot be used here at all: the kernel lacks it, a filter forbids it, /proc counts otherwise."""
    me = os.getpid()
    if own_pid_in_proc() != me:
        return Cannot("kcmp: /proc shows another pid namespace than this process's")
    try:
        compare_files(me, 0, me, 0)
    except CallError as error:
        if error.errno in (errno.ENOSYS, errno.EPERM):
            return Cannot(f"kcmp: {errno_name(error.errno)}")
    return None


class Comparer:
    """Asks kcmp about one epoll until the budget is spent."""

    def __init__(self, budget_s: float) -> None:
        self._left_s = budget_s

    def is_target(self, who: Descriptor, epoll: Descriptor, tfd: int, toff: int) -> bool | Cannot:
        """Whether descriptor `who` is the file that `epoll` has as its `toff`-th entry under `tfd`."""
        refused = kcmp_refused()
        if refused is not None:
            return refused
        if self._left_s <= 0:
            return Cannot(BUDGET)
        before = time.monotonic()
        try:
            return is_epoll_target(*who, *epoll, tfd, toff)
        except CallError as error:
            number = error.errno or 0
            return Cannot(CHANGED if number in _GONE else f"kcmp: {errno_name(number)}")
        finally:
            self._left_s -= time.monotonic() - before


def group_by_file(descriptors: Iterable[Descriptor]) -> list[list[Descriptor]]:
    """Descriptors that name one open file together, sorted within; each alone where kcmp cannot tell.

    kcmp orders files, so that n descriptors take about n log n calls.
    """
    ordered = sorted(descriptors)
    if kcmp_refused() is None:
        ordered.sort(key=cmp_to_key(_order))
    groups: list[list[Descriptor]] = []
    for descriptor in ordered:
        if groups and _is_same(groups[-1][-1], descriptor):
            groups[-1].append(descriptor)
        else:
            groups.append([descriptor])
    return sorted(sorted(group) for group in groups)


def _order(one: Descriptor, other: Descriptor) -> int:
    try:
        return (0, -1, 1, 0)[compare_files(*one, *other)]
    except CallError:  # closed or not permitted: any place will do, since it equals nobody
        return (one > other) - (one < other)


def _is_same(one: Descriptor, other: Descriptor) -> bool:
    try:
        return kcmp_refused() is None and compare_files(*one, *other) == 0
    except CallError:
        return False
