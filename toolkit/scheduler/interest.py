"""Which coroutine waits for which descriptor: the epoll side of the scheduler.

A registration is one-shot and stays for the descriptor's life, so that a wait costs one EPOLL_CTL_MOD. The data word
is a ticket, new at each arming: an event that was meant for an earlier owner of the number finds its ticket void.
"""

from collections.abc import Iterator
from itertools import count

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLONESHOT
from toolkit.primitives.epoll import Epoll
from toolkit.scheduler.instructions import Suspended

_ONESHOT = int(EPOLLONESHOT)
_EITHER_WAY = int(EPOLLERR | EPOLLHUP)


class _Interest:
    __slots__ = ("descriptor", "registered", "ticket", "waiting")

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.registered = False
        self.ticket = -1
        self.waiting: dict[int, Suspended] = {}


class InterestList:
    """At most one coroutine a descriptor and direction."""

    def __init__(self, epoll: Epoll) -> None:
        self._epoll = epoll
        self._by_descriptor: dict[int, _Interest] = {}
        self._by_ticket: dict[int, _Interest] = {}
        self._tickets = count()

    def park(self, descriptor: int, event: int, coroutine: Suspended) -> bool:
        """Keeps `coroutine` until `descriptor` has `event`. False: epoll does not take such a descriptor (a regular
        file, a directory: EPERM), which never blocks either.

        Raises:
            CallError: EBADF and what else epoll_ctl(2) says.
            RuntimeError: another coroutine waits for the same thing.
        """
        interest = self._by_descriptor.setdefault(descriptor, _Interest(descriptor))
        if event in interest.waiting:
            raise RuntimeError(
                f"another coroutine already waits for event {event:#x} of descriptor {descriptor}"
            )
        interest.waiting[event] = coroutine
        try:
            self._arm(interest)
        except PermissionError:
            del interest.waiting[event]
            return False
        except OSError:
            del interest.waiting[event]
            raise
        return True

    def wake(self, ticket: int, events: int) -> Iterator[Suspended]:
        """The coroutines that an event resumes; the others stay armed. A void ticket wakes nobody."""
        interest = self._by_ticket.pop(ticket, None)
        if interest is None:
            return
        for event in tuple(interest.waiting):
            if events & (event | _EITHER_WAY):
                yield interest.waiting.pop(event)
        if interest.waiting:
            self._arm(interest)

    def take_all(self) -> list[Suspended]:
        """Every coroutine that waits here, none of which waits any more."""
        found = [
            coroutine for interest in self._by_ticket.values() for coroutine in interest.waiting.values()
        ]
        self._by_ticket.clear()
        self._by_descriptor.clear()
        return found

    def _arm(self, interest: _Interest) -> None:
        self._by_ticket.pop(interest.ticket, None)
        interest.ticket = next(self._tickets)
        events = _ONESHOT
        for event in interest.waiting:
            events |= event
        self._control(interest, events)
        self._by_ticket[interest.ticket] = interest

    def _control(self, interest: _Interest, events: int) -> None:
        if interest.registered:
            try:
                self._epoll.modify(interest.descriptor, events, interest.ticket)
            except FileNotFoundError:  # the number was closed and names another file now
                interest.registered = False
            else:
                return
        try:
            self._epoll.add(interest.descriptor, events, interest.ticket)
        except FileExistsError:  # the same open file came back under the same number (dup2)
            self._epoll.modify(interest.descriptor, events, interest.ticket)
        interest.registered = True
