"""Stale entries are looked at again: a program that opens and closes while it is being read must not be accused."""

from collections.abc import Callable, Iterable

from toolkit.inspect.comparing import BUDGET, CHANGED, Cannot, Descriptor
from toolkit.inspect.interest import InterestList, Naming, Verdict, link_of_inode, read
from toolkit.inspect.records import Method, State

FindHolders = Callable[[tuple[Descriptor, ...]], tuple[Descriptor, ...]]
"""Looks anew who holds an epoll, given who held it."""

_PROBES = 5


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
    """
    stale = [index for index, verdict in verdicts.items() if verdict.state is State.STALE]
    if not stale:
        return
    keys = listed.keys()
    remaining = set(read(listed.holders, listed.compare, None).keys())
    for index in stale:
        entry = listed.entries[index]
        doubt: str | None = None if keys[index] in remaining else CHANGED
        if doubt is None and link_of_inode(entry.ino, entry.sdev) is None:
            doubt = _probe(listed, index)
        if doubt is not None:
            verdicts[index] = Verdict(State.UNKNOWN, Method.NONE, verdicts[index].naming, doubt)


def _probe(listed: InterestList, index: int) -> str | None:
    """Why the entry may not be called stale; None when it may."""
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
