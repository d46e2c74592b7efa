"""How accepted connections reach the workers: one queue for all, or one each, filled and emptied by four policies.

`shared`        one queue; whoever is free takes the oldest. A slow worker simply takes fewer.
`round-robin`   one queue a worker, filled in turn. A slow worker's queue grows, and those in it wait.
`least-loaded`  one queue a worker; the next goes to whoever has the least, waiting and being served.
`steal`         as round-robin, but a worker with nothing takes the newest of the longest neighbour's queue.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from toolkit.ffi.flags import EFD_CLOEXEC, EFD_NONBLOCK, EFD_SEMAPHORE, EPOLLEXCLUSIVE, EPOLLIN
from toolkit.primitives.eventfd import EventFd
from toolkit.servers.listener import Task
from toolkit.servers.options import ServeOptions
from toolkit.servers.queue import BoundedQueue
from toolkit.servers.stop import answer, doorbell, ring


class Dispatch(ABC):
    """What all policies share. The acceptor calls `put`, `room`, `wait_for_room`; a worker calls `take`."""

    def __init__(self, options: ServeOptions, queues: int, when_room: Callable[[], None]) -> None:
        limit, low = max(1, options.queue_limit // queues), options.low_mark // queues
        self.queues = [BoundedQueue[Task](limit, low) for _ in range(queues)]
        self.bells = [doorbell() for _ in range(options.workers)]
        self._when_room = when_room

    def bell(self, worker: int) -> tuple[EventFd, int]:
        """What `worker` watches to learn of tasks, and for which events."""
        return self.bells[worker], int(EPOLLIN)

    @abstractmethod
    def put(self, task: Task, over_limit: bool = False) -> bool:
        """Hands a task over; False when the place it would go to is full."""

    @abstractmethod
    def take(self, worker: int) -> Task | None:
        """One task for `worker`, or None. Never more than one: who holds many cannot give them back."""

    def room(self) -> int:
        """How many tasks `put` takes for certain."""
        return sum(queue.room() for queue in self.queues)

    def wait_for_room(self) -> bool:
        """`when_room` is called once a queue has been drained to its low mark. False: one is that low already."""
        asked = [queue.wait_for_room() for queue in self.queues]
        return all(asked)

    def close(self) -> None:
        """Closes the bells."""
        for bell in self.bells:
            bell.close()

    def _taken(self, found: tuple[Task | None, bool]) -> Task | None:
        task, has_room = found
        if has_room:
            self._when_room()
        return task


class SharedQueue(Dispatch):
    """The bell is a semaphore in every worker's epoll: one unit a task, EPOLLEXCLUSIVE so that one worker wakes."""

    def __init__(self, options: ServeOptions, when_room: Callable[[], None]) -> None:
        super().__init__(options, 1, when_room)
        self._units = EventFd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC)

    def bell(self, worker: int) -> tuple[EventFd, int]:
        return self._units, int(EPOLLIN | EPOLLEXCLUSIVE)

    def put(self, task: Task, over_limit: bool = False) -> bool:
        if not self.queues[0].put(task, over_limit):
            return False
        ring(self._units)
        return True

    def take(self, worker: int) -> Task | None:
        try:
            self._units.read()
        except BlockingIOError:  # another worker was faster
            return None
        return self._taken(self.queues[0].get())

    def close(self) -> None:
        super().close()
        self._units.close()


class RoundRobin(Dispatch):
    """Strict: the next in turn gets it, however long its queue is."""

    def __init__(self, options: ServeOptions, when_room: Callable[[], None]) -> None:
        super().__init__(options, options.workers, when_room)
        self._next = 0

    def put(self, task: Task, over_limit: bool = False) -> bool:
        worker = self._next
        if not self.queues[worker].put(task, over_limit):
            return False
        self._next = (worker + 1) % len(self.queues)
        ring(self.bells[worker])
        return True

    def take(self, worker: int) -> Task | None:
        answer(self.bells[worker])
        task = self._taken(self.queues[worker].get())
        if len(self.queues[worker]):
            ring(self.bells[worker])  # one a turn: the rest is for the next
        return task

    def room(self) -> int:
        return min(1, self.queues[self._next].room())

    def wait_for_room(self) -> bool:
        return self.queues[self._next].wait_for_room()


class LeastLoaded(RoundRobin):
    """Load is what waits in the queue plus what the worker has open, by `open_connections`."""

    def __init__(
        self, options: ServeOptions, when_room: Callable[[], None], open_connections: Callable[[int], int]
    ) -> None:
        super().__init__(options, when_room)
        self._open_connections = open_connections

    def put(self, task: Task, over_limit: bool = False) -> bool:
        with_room = [worker for worker, queue in enumerate(self.queues) if over_limit or queue.room()]
        if not with_room:
            return False
        self._next = min(
            with_room, key=lambda worker: len(self.queues[worker]) + self._open_connections(worker)
        )
        return super().put(task, over_limit)

    def room(self) -> int:
        return Dispatch.room(self)

    def wait_for_room(self) -> bool:
        return Dispatch.wait_for_room(self)


class Stealing(RoundRobin):
    """Filled in turn, passing over who is full; a free worker is rung too when the one in turn is busy."""

    def __init__(
        self, options: ServeOptions, when_room: Callable[[], None], open_connections: Callable[[int], int]
    ) -> None:
        super().__init__(options, when_room)
        self._open_connections = open_connections

    def put(self, task: Task, over_limit: bool = False) -> bool:
        for _ in self.queues:
            first = self._next
            if super().put(task, over_limit):
                self._ring_a_free_one(first)
                return True
            self._next = (first + 1) % len(self.queues)
        return False

    def _ring_a_free_one(self, owner: int) -> None:
        if self._open_connections(owner) or len(self.queues[owner]) > 1:
            for worker, queue in enumerate(self.queues):
                if worker != owner and not len(queue) and not self._open_connections(worker):
                    ring(self.bells[worker])
                    return

    def take(self, worker: int) -> Task | None:
        task = super().take(worker)
        if task is not None:
            return task
        longest = max(self.queues, key=len)
        task = self._taken(longest.steal())
        if task is not None and len(longest):
            ring(self.bells[worker])  # there is more to steal
        return task

    def room(self) -> int:
        return Dispatch.room(self)

    def wait_for_room(self) -> bool:
        return Dispatch.wait_for_room(self)


def dispatch_for(
    options: ServeOptions, when_room: Callable[[], None], open_connections: Callable[[int], int]
) -> Dispatch:
    """The policy that `options.dispatch` names. `when_room` may be called from any worker's thread."""
    if options.dispatch == "round-robin":
        return RoundRobin(options, when_room)
    if options.dispatch == "least-loaded":
        return LeastLoaded(options, when_room, open_connections)
    if options.dispatch == "steal":
        return Stealing(options, when_room, open_connections)
    return SharedQueue(options, when_room)
