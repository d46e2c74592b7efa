"""What a server has done, as one record: live, and when it has ended."""

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolkit.servers.latency import Latencies, Percentiles
from toolkit.servers.ledger import Tally, total
from toolkit.servers.options import SECOND_NS, ServeOptions
from toolkit.servers.outgoing import Outgoing
from toolkit.servers.queue import BoundedQueue


@dataclass(frozen=True)
class WorkerFigures:
    """One worker. `share` is its part of all answers. Context switches are known once the worker has ended."""

    name: str
    events: int
    answered: int
    share: float
    stale_events: int
    cpu_ns: int | None = None
    switches_voluntary: int | None = None
    switches_involuntary: int | None = None


@dataclass(frozen=True)
class QueueFigures:
    """`course` is the longest the queues together have been in each stretch of `stretch_ns`. `lock_wait_share` is time
    spent waiting for a queue's lock, of all the time the workers and the acceptor had."""

    limit: int
    length: int
    longest: int
    paused_ns: int
    pauses: int
    lock_wait_share: float
    lock_contended: int
    stretch_ns: int
    course: tuple[int, ...]


@dataclass(frozen=True)
class ServerFigures:
    """A server's record. `final` says that it has ended; only then must the two ledgers hold (`ledgers_hold`)."""

    model: str
    host: str
    port: int
    final: bool
    ran_ns: int
    accepted: int
    closed_by_us: int
    closed_by_client: int
    refused_connections: int
    begun: int
    answered: int
    refused_requests: int
    abandoned: int
    lost: int
    bad: int
    timed_out: int
    descriptors_exhausted: int
    answered_per_s: float
    open_connections: int
    ledgers_hold: bool | None
    latency_ns: Percentiles
    workers: tuple[WorkerFigures, ...]
    queue: QueueFigures | None = None
    replaced_workers: int | None = None
    type: str = field(default="server", init=False)


@dataclass
class Pauses:
    """The time a listener has been out of its epoll."""

    count: int = 0
    total_ns: int = 0
    since: int | None = None

    def begin(self) -> None:
        """The listener is taken out."""
        self.count += 1
        self.since = time.monotonic_ns()

    def end(self) -> None:
        """The listener is put back; harmless when it was not out."""
        if self.since is not None:
            self.total_ns += time.monotonic_ns() - self.since
            self.since = None


class Switches(Protocol):
    """What is used of getrusage(2)."""

    @property
    def ru_nvcsw(self) -> int: ...

    @property
    def ru_nivcsw(self) -> int: ...


@dataclass
class WorkerNotes:
    """What is known about one worker while it runs. `usage` is filled by the worker itself when it ends."""

    name: str
    tally: Tally
    latencies: Latencies | None = None
    usage: Switches | None = None
    cpu_ns: int | None = None

    def note_end(self) -> None:
        """Called by the worker's own thread, last."""
        self.usage = resource.getrusage(resource.RUSAGE_THREAD)
        self.cpu_ns = time.thread_time_ns()


class Figures:
    """Collects from everyone in a server."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._begin = time.monotonic_ns()
        self.host = options.host
        self.port = options.port
        self.workers: list[WorkerNotes] = []
        self.others: list[Tally] = []
        self.queues: list[BoundedQueue[Any]] = []
        self.pauses = Pauses()
        self.latencies = Latencies()
        """For a server whose main thread times what others do."""
        self.replaced: int | None = None
        self.before_record: Callable[[], None] = lambda: None
        """Called before the counts are read, for those that have to be fetched."""

    def worker(self, name: str, service: Outgoing | None, tally: Tally) -> WorkerNotes:
        """Registers a worker."""
        notes = WorkerNotes(name, tally, getattr(service, "latencies", None))
        self.workers.append(notes)
        return notes

    def sum(self) -> Tally:
        """All counts so far."""
        return total([*(notes.tally for notes in self.workers), *self.others])

    def record(self, final: bool) -> ServerFigures:
        """Everything as it stands. With `final`, after every worker has ended."""
        self.before_record()
        counts = self.sum()
        ran_ns = time.monotonic_ns() - self._begin
        latencies = Latencies()
        if final:  # a live one may not be folded by another thread
            latencies.merge(self.latencies)
            for notes in self.workers:
                if notes.latencies is not None:
                    latencies.merge(notes.latencies)
        fields: dict[str, Any] = {
            name: getattr(counts, name)
            for name in ("accepted", "closed_by_us", "closed_by_client", "refused_connections", "begun", "answered",
                         "refused_requests", "abandoned", "lost", "bad", "timed_out", "descriptors_exhausted")
        }  # fmt: skip
        return ServerFigures(
            model=self._options.model,
            host=self.host,
            port=self.port,
            final=final,
            ran_ns=ran_ns,
            answered_per_s=round(counts.answered * SECOND_NS / max(1, ran_ns), 1),
            open_connections=counts.open_connections,
            ledgers_hold=counts.balanced if final else None,
            latency_ns=latencies.percentiles(),
            workers=tuple(self._worker(notes, counts.answered) for notes in self.workers),
            queue=self._queue(ran_ns),
            replaced_workers=self.replaced,
            **fields,
        )

    def _worker(self, notes: WorkerNotes, answered: int) -> WorkerFigures:
        usage = notes.usage
        return WorkerFigures(
            name=notes.name,
            events=notes.tally.events,
            answered=notes.tally.answered,
            share=round(notes.tally.answered / answered, 4) if answered else 0.0,
            stale_events=notes.tally.stale_events,
            cpu_ns=notes.cpu_ns,
            switches_voluntary=usage.ru_nvcsw if usage else None,
            switches_involuntary=usage.ru_nivcsw if usage else None,
        )

    def _queue(self, ran_ns: int) -> QueueFigures | None:
        queues = self.queues
        if not queues:
            return None
        threads = len(self.workers) + 1
        stretch_ns, course = _sum_courses(
            [(queue.course.stretch_ns, queue.course.points()) for queue in queues]
        )
        return QueueFigures(
            limit=self._options.queue_limit,
            length=sum(len(queue) for queue in queues),
            longest=max(course, default=0) if len(queues) > 1 else queues[0].longest,
            paused_ns=self.pauses.total_ns,
            pauses=self.pauses.count,
            lock_wait_share=round(
                sum(queue.lock.waited_ns for queue in queues) / max(1, ran_ns * threads), 6
            ),
            lock_contended=sum(queue.lock.contended for queue in queues),
            stretch_ns=stretch_ns,
            course=tuple(course),
        )


def _sum_courses(courses: list[tuple[int, list[int]]]) -> tuple[int, list[int]]:
    """Several queues' courses as one: at the coarsest stretch, the sum of what each had at its longest there."""
    widest = max(stretch for stretch, _ in courses)
    rows = []
    for stretch, points in courses:
        step = widest // stretch
        rows.append([max(points[i : i + step]) for i in range(0, len(points), step)])
    length = max(len(row) for row in rows)
    padded = [row + row[-1:] * (length - len(row)) for row in rows if row]
    return widest, [sum(column) for column in zip(*padded, strict=True)]
