"""Registering with an epoll and waiting on it, in the words of cases."""

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
