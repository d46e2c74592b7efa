"""Process pool: the parent accepts and hands each client's descriptor to a free worker process (SCM_RIGHTS).

    parent: listener -> queue -> channel (socketpair) -> worker: sends a file, reports itself free
                              -> channel              -> worker

No free worker: the client waits in the bounded queue; when that is full the listener leaves epoll, and clients wait in
the kernel. A worker that dies is noticed through its pidfd: its client is closed by the kernel, and another takes its
place.
"""

import os
import signal
import socket
import time
from collections import deque
from dataclasses import dataclass

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.servers.control import SIGNAL_TOKEN, Control
from toolkit.servers.figures import WorkerNotes
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Acceptor, Listener, Task
from toolkit.servers.pool_worker import ABANDONED, EXIT, STALLED, WHOLE, become_worker, send_client
from toolkit.servers.queue import BoundedQueue

_LISTENER = 2
_FIRST_WORKER_TOKEN = 16
_RETRY_MS = 50
_QUICK_DEATH_S = 0.5
_QUICK_DEATHS_ALLOWED = 5


class PoolKeepsDyingError(RuntimeError):
    """Replacing workers would go on for ever."""


@dataclass
class _Worker:
    """`since` is when it was given the client it has (ns), 0 while it is free."""

    index: int
    notes: WorkerNotes
    process: int
    pidfd: int
    channel: socket.socket
    born: float
    since: int = 0


class PoolServer:
    """`run` is the parent's life, in the main thread."""

    def __init__(self, control: Control) -> None:
        """Opens the file and listens; no worker runs yet.

        Raises:
            CannotListen: the address cannot be had.
            OSError: the file cannot be read.
        """
        options = self._options = control.options
        self._control = control
        self._stop = control.stop
        self._file = os.open(options.file, os.O_RDONLY | os.O_CLOEXEC)
        self._listener = Listener(options.host, options.port)
        self._acceptor = Acceptor(self._listener)
        self._tally = Tally()
        self._queue = BoundedQueue[Task](options.queue_limit, options.low_mark)
        self._epoll = Epoll()
        self._watching = False
        self._free: deque[_Worker] = deque()
        self._workers: dict[int, _Worker] = {}
        self._quick_deaths = 0
        control.figures.others.append(self._tally)
        control.figures.queues = [self._queue]
        control.figures.replaced = 0

    def run(self) -> None:
        """Serves until the exit has been obeyed.

        Raises:
            PoolKeepsDyingError: workers die as soon as they are born.
        """
        control = self._control
        control.watch_signals(self._epoll)
        for index in range(self._options.workers):
            self._fork(index, control.figures.worker(f"process-{index}", None, Tally()))
        self._watch(True)
        control.listening(self._listener.host, self._listener.port)
        try:
            while not self._stop.asked:
                self._turn(control.timeout_ms())
                control.tick()
            self._watch(False)
            self._enqueue(over_limit=True)
            self._listener.close()
            self._stop.drain()
            if self._options.stop == "graceful":
                self._finish()
        finally:
            self._kill_all()
            self._acceptor.close()
            self._epoll.close()
            os.close(self._file)

    # --- accepting and handing over ---

    def _turn(self, timeout_ms: int) -> None:
        if self._acceptor.must_retry:
            timeout_ms = min(timeout_ms, _RETRY_MS)
        try:
            ready = self._epoll.wait(64, timeout_ms)
        except InterruptedError:
            ready = []
        for token, _ in ready:
            if token == SIGNAL_TOKEN:
                self._control.on_signal()
            elif token == _LISTENER:
                self._enqueue()
            else:
                self._hear((token - _FIRST_WORKER_TOKEN) // 2, dead=bool(token & 1))
        if self._acceptor.must_retry:
            self._watch(False)
        elif not self._stop.asked:
            self._watch(
                self._queue.room() > 0 and (self._watching or len(self._queue) <= self._options.low_mark)
            )
        self._hand_over()

    def _enqueue(self, over_limit: bool = False) -> None:
        room = 1 << 30 if over_limit else self._queue.room()
        for task in self._acceptor.accept_all(self._tally, time.monotonic_ns(), room):
            self._queue.put(task, over_limit)

    def _watch(self, wanted: bool) -> None:
        """Puts the listener into the epoll, or takes it out while the queue is full."""
        if wanted == self._watching:
            return
        self._watching = wanted
        if wanted:
            self._control.figures.pauses.end()
            self._epoll.add(self._listener.fd, EPOLLIN, _LISTENER)
        else:
            if not self._stop.asked:
                self._control.figures.pauses.begin()
            self._epoll.remove(self._listener.fd)

    def _hand_over(self) -> None:
        while self._free and (task := self._queue.get()[0]) is not None:
            worker = self._free.popleft()
            self._tally.begun += 1
            worker.since = time.monotonic_ns()
            try:
                send_client(worker.channel, task.fd)
            except OSError:
                pass  # it has died, which its pidfd will tell: the client is closed with it
            finally:
                linux.lib.evk_close(
                    task.fd
                )  # the worker's is the only one now: when it ends, the client sees it

    # --- workers ---

    def _fork(self, index: int, notes: WorkerNotes) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            ours.close()
            self._listener.close()
            for worker in self._workers.values():
                worker.channel.close()  # else a channel would outlive the parent in its siblings
            become_worker(self._options, self._file, theirs, parent)
        theirs.close()
        ours.setblocking(False)
        worker = _Worker(index, notes, process, os.pidfd_open(process), ours, time.monotonic())
        self._workers[index] = worker
        self._free.append(worker)
        self._epoll.add(ours, EPOLLIN, _FIRST_WORKER_TOKEN + 2 * index)
        self._epoll.add(worker.pidfd, EPOLLIN, _FIRST_WORKER_TOKEN + 2 * index + 1)

    def _hear(self, index: int, dead: bool) -> None:
        worker = self._workers.get(index)
        if worker is None:
            return
        try:
            report = worker.channel.recv(1)
        except BlockingIOError:
            report = b""
        if report:
            self._account(worker, report)
            self._free.append(worker)
        if dead:
            self._bury(worker)
            if not self._stop.draining:
                self._replace(worker)

    def _account(self, worker: _Worker, report: bytes) -> None:
        tally = self._tally
        worker.notes.tally.events += 1
        if report == WHOLE:
            tally.closed_by_us += 1
            worker.notes.tally.answered += 1
        elif report == ABANDONED:
            tally.closed_by_client += 1
            tally.abandoned += 1
        elif report == STALLED:
            tally.closed_by_us += 1
            tally.refused_requests += 1
            tally.timed_out += 1
        self._control.figures.latencies.add(time.monotonic_ns() - worker.since)
        worker.since = 0

    def _bury(self, worker: _Worker) -> None:
        """It is dead. The client it had, if any, was closed by the kernel, its file cut short."""
        if worker.since:
            self._tally.closed_by_us += 1
            self._tally.refused_requests += 1
            self._tally.lost += 1
        if worker in self._free:
            self._free.remove(worker)
        self._epoll.remove(worker.pidfd)
        os.waitpid(worker.process, 0)
        os.close(worker.pidfd)
        worker.channel.close()
        del self._workers[worker.index]

    def _replace(self, worker: _Worker) -> None:
        quick = time.monotonic() - worker.born < _QUICK_DEATH_S
        self._quick_deaths = self._quick_deaths + 1 if quick else 0
        if self._quick_deaths > _QUICK_DEATHS_ALLOWED:
            raise PoolKeepsDyingError(f"{self._quick_deaths} workers in a row died as soon as they were born")
        self._control.figures.replaced = (self._control.figures.replaced or 0) + 1
        self._fork(worker.index, worker.notes)

    # --- the end ---

    def _finish(self) -> None:
        """Whoever is queued gets a worker; then the exit flag travels the way a client does, behind the last one."""
        while self._queue and self._workers and not self._stop.is_over:
            self._turn(_RETRY_MS)
        for worker in self._workers.values():
            worker.channel.send(EXIT)
        while self._workers and not self._stop.is_over:
            self._turn(_RETRY_MS)

    def _kill_all(self) -> None:
        """What `abrupt` is, and what is left when time is over: transfers are cut, queued clients closed."""
        for worker in list(self._workers.values()):
            self._hear(worker.index, dead=False)  # a report that has come already still counts
            os.kill(worker.process, signal.SIGKILL)
            self._bury(worker)
        while (task := self._queue.get()[0]) is not None:
            self._tally.closed_by_us += 1
            linux.lib.evk_close(task.fd)
