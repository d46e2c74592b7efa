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

    kcmp orders files, so that n descriptors take about n log n calls. Those that are closed meanwhile are left out: a
    sort in which some compare with nobody would part others that belong together.
    """
    ordered = sorted(descriptors)
    if kcmp_refused() is not None:
        return [[descriptor] for descriptor in ordered]
    while True:
        try:
            ordered.sort(key=cmp_to_key(_order))
            break
        except CallError:
            ordered = [descriptor for descriptor in ordered if is_same_file(descriptor, descriptor)]
    groups: list[list[Descriptor]] = []
    for descriptor in ordered:
        if groups and is_same_file(groups[-1][-1], descriptor):
            groups[-1].append(descriptor)
        else:
            groups.append([descriptor])
    return sorted(sorted(group) for group in groups)


def is_same_file(one: Descriptor, other: Descriptor) -> bool:
    """Whether both name one open file; False when either is closed or may not be compared."""
    try:
        return kcmp_refused() is None and compare_files(*one, *other) == 0
    except CallError:
        return False


def _order(one: Descriptor, other: Descriptor) -> int:
    return (0, -1, 1, 0)[compare_files(*one, *other)]
