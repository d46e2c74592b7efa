"""The request to stop, which every part of a server sees: first gracefully, then at once."""

import time
from contextlib import suppress

from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd


def doorbell() -> EventFd:
    """A non-blocking eventfd: rung by others, answered by the loop that waits for it."""
    return EventFd(0, EFD_NONBLOCK | EFD_CLOEXEC)


def ring(bell: EventFd) -> None:
    """Rings; a bell that is full rings already."""
    with suppress(BlockingIOError):
        bell.write(1)


def answer(bell: EventFd) -> None:
    """Takes all rings; none is fine too, since another may have taken them."""
    with suppress(BlockingIOError):
        bell.read()


class Stop:
    """`asked`: somebody wants an end, and the accepting side is still at it. `draining`: no newcomers any more, finish
    what is in hand. `forced`: do not even finish. Set by the main thread, read by all."""

    def __init__(self, drain_timeout_ns: int) -> None:
        self._drain_timeout_ns = drain_timeout_ns
        self._bells: list[EventFd] = []
        self.asked = False
        self.draining = False
        self.forced = False
        self.deadline = 0

    def tell(self, bell: EventFd) -> None:
        """`bell` is rung at each change from now on."""
        self._bells.append(bell)

    def ask(self) -> None:
        """Asks for a graceful end, and when that was asked already for one at once. The drain timeout starts now."""
        if self.asked:
            self.force()
        else:
            self.deadline = time.monotonic_ns() + self._drain_timeout_ns
            self.asked = True

    def drain(self) -> None:
        """The accepting side is done: everyone finishes what they have."""
        if not self.asked:
            self.ask()
        self.draining = True
        self._ring_all()

    def force(self) -> None:
        """Everyone ends at once."""
        self.forced = True
        self.drain()

    @property
    def is_over(self) -> bool:
        """Whether there is no more time to finish anything."""
        return self.forced or (self.asked and time.monotonic_ns() >= self.deadline)

    def _ring_all(self) -> None:
        for bell in self._bells:
            ring(bell)
