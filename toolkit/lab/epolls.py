"""Registering with an epoll and waiting on it, in the words of cases."""

import time
from collections.abc import Iterable

from toolkit.ffi.flags import EpollEvents
from toolkit.lab.base import LabBase
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor

SeenEvent = tuple[int, EpollEvents]
"""`(data, events)`."""


class Epolls(LabBase):
    """epoll_ctl(2) and epoll_wait(2)."""

    def add(self, epoll: Epoll, descriptor: Descriptor, events: int, data: int | None = None) -> None:
        """EPOLL_CTL_ADD; `data` is the descriptor's number unless given."""
        epoll.add(descriptor, events, data)

    def modify(self, epoll: Epoll, descriptor: Descriptor, events: int, data: int | None = None) -> None:
        """EPOLL_CTL_MOD."""
        epoll.modify(descriptor, events, data)

    def remove(self, epoll: Epoll, descriptor: Descriptor) -> None:
        """EPOLL_CTL_DEL."""
        epoll.remove(descriptor)

    def wait(self, epoll: Epoll, within: float | None = 1.0, maxevents: int = 64) -> list[SeenEvent]:
        """epoll_wait(2): what was ready within that many seconds; empty when nothing was. None waits for ever."""
        return [(data, EpollEvents(bits)) for data, bits in epoll.wait(maxevents, self.milliseconds(within))]

    def ready(self, epoll: Epoll, maxevents: int = 64) -> list[SeenEvent]:
        """epoll_wait(2) with a timeout of 0: what is ready now."""
        return self.wait(epoll, 0.0, maxevents)

    def ready_count(self, epoll: Epoll) -> int:
        """How many entries are ready now."""
        return len(self.ready(epoll))

    def told(self, epoll: Epoll, within: float | None = 0.0, maxevents: int = 64) -> list[int]:
        """epoll_wait(2): the data words only, in the order reported."""
        return [data for data, _ in self.wait(epoll, within, maxevents)]

    def pwait(
        self, epoll: Epoll, signals: Iterable[int] | None, within: float | None = 1.0, maxevents: int = 64
    ) -> list[SeenEvent]:
        """epoll_pwait(2): a wait with `signals` blocked instead of the thread's mask; None leaves that alone."""
        found = epoll.pwait(signals, maxevents, self.milliseconds(within))
        return [(data, EpollEvents(bits)) for data, bits in found]

    def pwait2(
        self, epoll: Epoll, timeout_ns: int | None, signals: Iterable[int] | None = None, maxevents: int = 64
    ) -> list[SeenEvent]:
        """epoll_pwait2(2): a wait with a timeout in nanoseconds; None waits for ever."""
        found = epoll.pwait2(signals, maxevents, timeout_ns)
        return [(data, EpollEvents(bits)) for data, bits in found]

    def until(self, epoll: Epoll, events: int, within: float = 2.0) -> EpollEvents:
        """Waits until one entry reports all of `events` together: its mask, or the last one seen by the deadline.

        For what arrives piece by piece, such as a reset of a TCP connection. The entry must be level-triggered.
        """
        end = time.monotonic() + self.seconds(within)
        seen = EpollEvents(0)
        while (left := end - time.monotonic()) > 0:
            for _, seen in self.wait(epoll, left):
                if seen & events == events:
                    return seen
        return seen
