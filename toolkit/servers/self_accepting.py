"""What `reuseport` and `exclusive` share: workers that accept for themselves, as threads or as processes."""

from toolkit.servers.accepting import AcceptingLoop
from toolkit.servers.control import Control
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Listener
from toolkit.servers.process_workers import Supervisor


class SelfAcceptingServer:
    """`listeners` has one for each worker, or a single one that all share."""

    def __init__(self, control: Control, listeners: list[Listener], workers: int) -> None:
        self._control = control
        self._listeners = listeners
        self._workers = workers

    def run(self) -> None:
        """Serves until the exit has been obeyed."""
        if self._control.options.processes:
            Supervisor(self._control, self._listeners, self._workers).run()
        else:
            self._run_threads()

    def _run_threads(self) -> None:
        control = self._control
        workers = [
            _Worker(control, index, self._listeners[index % len(self._listeners)], len(self._listeners) == 1)
            for index in range(self._workers)
        ]
        threads = [control.start(worker.name, worker.run) for worker in workers]
        control.listening(self._listeners[0].host, self._listeners[0].port)
        control.wait_until_stopping()
        control.stop.drain()
        control.join(threads)


class _Worker:
    """A worker as a thread."""

    def __init__(self, control: Control, index: int, listener: Listener, shared: bool) -> None:
        self.name = f"worker-{index}"
        self._stop = control.stop
        tally = Tally()
        self._accepting = AcceptingLoop(control.options, tally, control.stop, listener, index, shared)
        self._notes = control.figures.worker(self.name, self._accepting.loop.service, tally)

    def run(self) -> None:
        """The thread's life."""
        self._accepting.begin()
        while not self._stop.draining:
            self._accepting.turn()
        self._accepting.end()
        self._notes.note_end()
