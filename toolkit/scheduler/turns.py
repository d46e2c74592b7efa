"""One coroutine at a time, in order of arrival."""

from collections import deque
from types import TracebackType

from toolkit.scheduler.epoll_scheduler import EpollScheduler
from toolkit.scheduler.instructions import Parked, Suspended, suspend


class Turns:
    """`async with turns:` lets one coroutine in; the next one is handed the place when it leaves."""

    def __init__(self, scheduler: EpollScheduler) -> None:
        self._scheduler = scheduler
        self._taken = False
        self._waiting: deque[Suspended] = deque()

    async def __aenter__(self) -> None:
        if self._taken:
            await suspend(Parked(self._waiting))
        self._taken = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._waiting:
            self._scheduler.resume(self._waiting.popleft())  # still taken: the place goes straight to it
        else:
            self._taken = False
