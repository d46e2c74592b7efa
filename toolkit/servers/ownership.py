"""One owner closes: the debug mode that asserts it (`--check-owner`)."""

from collections.abc import Sequence
from threading import get_ident

from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor


class NotTheOwnerError(RuntimeError):
    """A thread touched what belongs to another: the descriptor's number may name somebody else's file by now."""


def check_owner(owner: int, what: str) -> None:
    """Asserts that the calling thread is `owner` (threading.get_ident).

    Raises:
        NotTheOwnerError: it is not.
    """
    if owner != get_ident():
        raise NotTheOwnerError(f"thread {get_ident()} may not {what}: it belongs to thread {owner}")


class OwnerCheckedEpoll(Epoll):
    """An epoll that one thread owns, from `own` on: nobody else may change or close it, or wait in it."""

    __slots__ = ("_owner",)

    def own(self) -> None:
        """Makes the calling thread the owner."""
        self._owner = get_ident()

    def add(self, descriptor: Descriptor, events: int, data: int | None = None) -> None:
        self.check("change")
        super().add(descriptor, events, data)

    def modify(self, descriptor: Descriptor, events: int, data: int | None = None) -> None:
        self.check("change")
        super().modify(descriptor, events, data)

    def remove(self, descriptor: Descriptor) -> None:
        self.check("change")
        super().remove(descriptor)

    def modify_many(self, entries: Sequence[tuple[Descriptor, int, int]]) -> None:
        self.check("change")
        super().modify_many(entries)

    def close(self) -> None:
        if not self.closed:
            self.check("close")
        super().close()

    def check(self, verb: str) -> None:
        """Asserts that the calling thread owns it; nobody does before `own`."""
        owner = getattr(self, "_owner", None)
        if owner is not None:
            check_owner(owner, f"{verb} epoll {self._fd}")
