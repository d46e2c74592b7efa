"""Workers as processes: forked, watched through pidfds, replaced when they die, and ended in order.

Each publishes its counts in memory that all share, so that a worker killed in the middle can still be accounted for.
"""

import json
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NoReturn

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SignalFd
from toolkit.servers.accepting import AcceptingLoop
from toolkit.servers.control import SIGNAL_TOKEN, Control
from toolkit.servers.figures import WorkerNotes
from toolkit.servers.latency import Latencies
from toolkit.servers.ledger import PACKED, Published, Tally
from toolkit.servers.listener import Listener
from toolkit.servers.stop import Stop

_FIRST_SLOT_TOKEN = 16
_ROW_SIZE = 256
_QUICK_DEATH_S = 0.5
_QUICK_DEATHS_ALLOWED = 5
_KILL_AFTER_NS = 2_000_000_000


class WorkersKeepDyingError(RuntimeError):
    """Replacing workers would go on for ever."""


@dataclass
class _Slot:
    """One worker's place: which process fills it, and where it publishes."""

    index: int
    row: memoryview
    notes: WorkerNotes
    process: int = 0
    pidfd: int = -1
    report: int = -1
    born: float = 0.0


class Supervisor:
    """The parent. It serves nobody itself."""

    def __init__(self, control: Control, listeners: list[Listener], workers: int) -> None:
        self._control = control
        self._listeners = listeners
        memory = memoryview(mmap.mmap(-1, _ROW_SIZE * workers))
        self._slots = []
        for index in range(workers):
            row = memory[index * _ROW_SIZE : index * _ROW_SIZE + PACKED.size]
            notes = control.figures.worker(f"process-{index}", None, Tally())
            self._slots.append(_Slot(index, row, notes))
        control.figures.replaced = 0
        control.figures.before_record = self._read_rows
        self._quick_deaths = 0

    def run(self) -> None:
        """Forks, watches and replaces until the exit is asked for; then ends everyone.

        Raises:
            WorkersKeepDyingError: they die as soon as they are born.
        """
        control = self._control
        with Epoll() as self._epoll:
            control.watch_signals(self._epoll)
            for slot in self._slots:
                self._fork(slot)
            control.listening(self._listeners[0].host, self._listeners[0].port)
            try:
                while not control.stop.asked:
                    self._wait(control.timeout_ms(), self._replace)
                    control.tick()
            finally:
                self._end_all()

    # --- the life of a worker, seen from outside ---

    def _fork(self, slot: _Slot) -> None:
        report, write_end = os.pipe()
        slot.born = time.monotonic()
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            _become_worker(self._control, self._listeners, slot, write_end, parent)
        os.close(write_end)
        slot.process, slot.report, slot.pidfd = process, report, os.pidfd_open(process)
        self._epoll.add(slot.pidfd, EPOLLIN, _FIRST_SLOT_TOKEN + slot.index)

    def _wait(self, timeout_ms: int, when_dead: Callable[[_Slot], None]) -> None:
        try:
            ready = self._epoll.wait(16, timeout_ms)
        except InterruptedError:
            ready = []
        for token, _ in ready:
            if token == SIGNAL_TOKEN:
                self._control.on_signal()
            else:
                slot = self._slots[token - _FIRST_SLOT_TOKEN]
                self._bury(slot)
                when_dead(slot)

    def _bury(self, slot: _Slot) -> None:
        """Takes the status, and the account: its own report, or what it had published when it was killed."""
        os.waitpid(slot.process, 0)
        with open(slot.report, "rb") as report:
            last_words = report.read()
        self._epoll.remove(slot.pidfd)
        os.close(slot.pidfd)
        slot.process, slot.pidfd = 0, -1
        if last_words:
            self._note(slot, json.loads(last_words))
        account = Tally.unpack_from(slot.row)
        if not account.balanced:
            account.settle_killed()
            Published(account, slot.row)

    def _note(self, slot: _Slot, words: dict[str, Any]) -> None:
        slot.notes.latencies = Latencies.from_pairs([(low, count) for low, count in words["latencies"]])
        slot.notes.cpu_ns = words["cpu_ns"]
        slot.notes.usage = SimpleNamespace(ru_nvcsw=words["voluntary"], ru_nivcsw=words["involuntary"])

    def _replace(self, slot: _Slot) -> None:
        """Another takes its place, with the same listener: who waits there in the kernel's queue notices nothing."""
        quick = time.monotonic() - slot.born < _QUICK_DEATH_S
        self._quick_deaths = self._quick_deaths + 1 if quick else 0
        if self._quick_deaths > _QUICK_DEATHS_ALLOWED:
            raise WorkersKeepDyingError(
                f"{self._quick_deaths} workers in a row died as soon as they were born; what they said stands above"
            )
        self._control.figures.others.append(Tally.unpack_from(slot.row))
        Published(Tally(), slot.row)
        self._control.figures.replaced = (self._control.figures.replaced or 0) + 1
        self._fork(slot)

    def _end_all(self) -> None:
        """Our copies of the listeners first, so that a worker's close is the last; then the signal to each."""
        stop = self._control.stop
        stop.drain()
        for listener in self._listeners:
            listener.close()
        told = 0
        while alive := [slot for slot in self._slots if slot.process]:
            wanted = 2 if stop.forced else 1
            if time.monotonic_ns() > stop.deadline + _KILL_AFTER_NS:
                wanted = 3
            for slot in alive if told < wanted else ():
                os.kill(slot.process, signal.SIGKILL if wanted == 3 else signal.SIGTERM)
            told = wanted
            self._wait(50, lambda _slot: None)

    def _read_rows(self) -> None:
        for slot in self._slots:
            slot.notes.tally = Tally.unpack_from(slot.row)


def _become_worker(
    control: Control, listeners: list[Listener], slot: _Slot, report: int, parent: int
) -> NoReturn:
    """The child's whole life. A handler installed before fork would run here too: there are none, and the signals are
    blocked; Ctrl-C reaches the whole group, and it is the parent that decides."""
    status = 1
    try:
        linux.lib.evk_prctl(linux.lib.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:  # else it died before the prctl
            words = _work(control, listeners, slot)
            os.write(report, json.dumps(words).encode())
            status = 0
    except BaseException as error:
        sys.stderr.write(f"evkit serve: worker {slot.index}: {error}\n")
    finally:
        os._exit(status)


def _work(control: Control, listeners: list[Listener], slot: _Slot) -> dict[str, Any]:
    shared = len(listeners) == 1
    mine = listeners[slot.index % len(listeners)]
    for listener in listeners:
        if listener is not mine:
            listener.close()
    stop = Stop(control.options.drain_timeout_ns)
    tally = Tally()
    accepting = AcceptingLoop(control.options, tally, stop, mine, slot.index, shared)
    loop = accepting.loop
    accepting.begin()
    loop.published = Published(tally, slot.row)
    with SignalFd([signal.SIGTERM], SFD_NONBLOCK | SFD_CLOEXEC) as signals:

        def on_signal() -> None:
            for _ in signals.read():
                stop.ask()

        loop.watch(signals, EPOLLIN, SIGNAL_TOKEN, on_signal)
        while not stop.asked:
            accepting.turn()
        accepting.end()
    loop.published.publish()
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "latencies": loop.service.latencies.as_pairs(),
        "cpu_ns": time.process_time_ns(),
        "voluntary": usage.ru_nvcsw,
        "involuntary": usage.ru_nivcsw,
    }
