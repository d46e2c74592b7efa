"""Stale entries are looked at again: a program that opens and closes while it is being read must not be accused."""

import time
from collections.abc import Callable, Iterable

from toolkit.inspect.comparing import BUDGET, CHANGED, Cannot, Descriptor
from toolkit.inspect.interest import InterestList, Naming, Verdict, link_of_inode, read
from toolkit.inspect.processes import is_busy
from toolkit.inspect.records import Method, State

FindHolders = Callable[[tuple[Descriptor, ...]], tuple[Descriptor, ...]]
"""Looks anew who holds an epoll, given who held it."""

_PROBES = 5
_PAUSES_S = (0.0, 0.01, 0.03, 0.1, 0.3)


def settle(
    first: InterestList, find_holders: FindHolders, only: Iterable[int] | None = None
) -> tuple[InterestList, dict[int, Verdict]]:
    """Judges every entry, or `only` some, and again those found stale.

    Gives the newest reading, with a verdict on each of its entries that was there before.

    Raises:
        OSError: the epoll went away.
    """
    verdicts = first.judge(range(len(first.entries)) if only is None else only)
    if not any(map(_is_doubtful, verdicts.values())):
        return first, verdicts
    second = read(find_holders(first.holders), first.compare, None)
    before = {key: verdicts[index] for index, key in enumerate(first.keys()) if index in verdicts}
    settled: dict[int, Verdict] = {}
    doubtful: list[int] = []
    for index, key in enumerate(second.keys()):
        earlier = before.get(key)
        if earlier is not None and not _is_doubtful(earlier):
            settled[index] = earlier
        elif earlier is not None:
            doubtful.append(index)
    settled.update(second.judge(doubtful))
    _confirm(second, settled)
    return second, dict(sorted(settled.items()))


def _is_doubtful(verdict: Verdict) -> bool:
    return verdict.state is State.STALE or verdict.reason == CHANGED


def _confirm(listed: InterestList, verdicts: dict[int, Verdict]) -> None:
    """Leaves stale what is still listed after its number was found closed or another's.

    The inode of a socket or pipe says that it is the same file. Anonymous inodes are all one: a number may have been
    closed, opened and registered for a new file between two looks, so these are probed several times in quick turns.

    close() first frees the number, and takes the entry away only on its way back to user space (fs/file_table.c, fput):
    a thread that is held up there looks just like a stale entry. So a process at work is looked at again for half a
    second; one asleep is in no such place.
    """
    stale = [index for index, verdict in verdicts.items() if verdict.state is State.STALE]
    keys = listed.keys()
    for pause_s in _PAUSES_S:
        if not stale:
            return
        time.sleep(pause_s)
        busy = is_busy(listed.holders[0][0])
        remaining = set(read(listed.holders, listed.compare, None).keys())
        for index in stale:
            doubt = _doubt(listed, index, still_listed=keys[index] in remaining)
            if doubt is not None:
                verdicts[index] = Verdict(State.UNKNOWN, Method.NONE, verdicts[index].naming, doubt)
        stale = [index for index in stale if verdicts[index].state is State.STALE]
        if not busy:
            return


def _doubt(listed: InterestList, index: int, *, still_listed: bool) -> str | None:
    """Why the entry may not be called stale; None when it may."""
    entry = listed.entries[index]
    if not still_listed or listed.look_again(index) is Naming.SAME:
        return CHANGED
    return _probe(listed, index) if link_of_inode(entry.ino, entry.sdev) is None else None


def _probe(listed: InterestList, index: int) -> str | None:
    """As `_doubt`, for a file without an inode of its own."""
    for _ in range(_PROBES):
        namings = [listed.look_again(index)]
        has = listed.still_has(index)
        namings.append(listed.look_again(index))
        if has == BUDGET:
            return BUDGET
        if isinstance(has, Cannot):  # no kcmp here: that it was listed again must do
            return None
        if not has or Naming.SAME in namings:
            return CHANGED
    return None
