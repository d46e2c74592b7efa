"""How long a loop goes on after its exit signal, for each way of noticing one: what `evkit bench exit` prints.

Each round is a child process with a scheduler that waits. The signal is sent in one of three situations:

- `waiting`: from outside, while the loop sleeps in its wait;
- `before-wait`: after the loop has tested for it and before it waits, the classic race;
- `other-thread`: to the process, when another thread may take it too and the loop's own thread may not. Here signalfd
  loses: any thread that has not blocked the signal takes it away from it.
"""

import os
import select
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NoReturn

from toolkit.primitives.epoll import Epoll, Event
from toolkit.scheduler.epoll_scheduler import EpollScheduler
from toolkit.scheduler.exit_ways import WAYS, ExitWay, FlagExit, Log, Way, flag_with_tick

SITUATIONS = ("waiting", "before-wait", "other-thread")
_SIGNAL = signal.SIGUSR1
_ROUND_LIMIT_S = 2.0
_NANOSECONDS = struct.Struct("=q")


@dataclass(frozen=True)
class ExitDelay:
    """The delay from signal to exit over `rounds`, in nanoseconds.

    `tick_ns` is the longest wait of a way that has one: what a missed signal costs. `missed` counts the rounds
    that took at least half of it, `never` those in which the loop had not ended after 2 s, or the signal's default
    action ended the process; these are in neither `p50_ns` nor `max_ns`.
    """

    name: str
    situation: str
    rounds: int
    missed: int
    never: int
    p50_ns: int | None = None
    max_ns: int | None = None
    tick_ns: int | None = None
    type: str = field(default="exit_delay", init=False)


class RetryingFlag(FlagExit):
    """The flag over a wait that goes on after EINTR, as select.epoll does (PEP 475): the handler runs, and the
    wait still takes all its time."""

    def wait(self, timeout_ms: int) -> list[Event]:
        with select.epoll.fromfd(os.dup(self._epoll.fileno())) as retrying:
            return retrying.poll(None if timeout_ms < 0 else timeout_ms / 1000)


def contestants(tick_ms: int) -> dict[str, Way]:
    """The five ways, and the flag over a wait that retries; flags tick every `tick_ms`."""

    def retrying(signals: Iterable[int], epoll: Epoll, log: Log) -> ExitWay:
        return RetryingFlag(signals, epoll, log, tick_ms)

    flags = {"flag": flag_with_tick(tick_ms), "flag, EINTR retried": retrying}
    return {**WAYS, **flags}


def measure(rounds: int, tick_ms: int) -> Iterator[ExitDelay]:
    """Every way in every situation that it can be in, one record each."""
    for name, way in contestants(tick_ms).items():
        for situation in SITUATIONS:
            if name == "flag, EINTR retried" and situation == "other-thread":
                continue  # nothing interrupts the wait then, so there is nothing to retry
            delays = list(_rounds(way, situation, rounds))
            has_tick = name.startswith("flag")
            yield ExitDelay(
                name=name,
                situation=situation,
                rounds=rounds,
                never=rounds - len(delays),
                p50_ns=int(median(delays)) if delays else None,
                max_ns=max(delays, default=None),
                missed=sum(delay >= tick_ms * 500_000 for delay in delays),
                tick_ns=tick_ms * 1_000_000 if has_tick else None,
            )


def _rounds(way: Way, situation: str, rounds: int) -> Iterator[int]:
    """The delays of the rounds that ended; the first that does not is the last tried, since the others take as long."""
    for _ in range(rounds):
        delay = _one_round(way, situation)
        if delay is None:
            return
        yield delay


def _one_round(way: Way, situation: str) -> int | None:
    """The delay of one child, in nanoseconds; None when it had to be killed, or died of the signal."""
    ready, announce = os.pipe()
    result, report = os.pipe()
    child = os.fork()
    if child == 0:
        _end_child(lambda: _child(way, situation, announce, report))
    try:
        for descriptor in (announce, report):
            os.close(descriptor)
        sent = _send(child, ready) if situation != "before-wait" else 0
        if not select.select([result], [], [], _ROUND_LIMIT_S)[0]:
            return None
        answer = os.read(result, 16)
        if not answer:
            return None
        sent_by_itself, ended = (value for (value,) in _NANOSECONDS.iter_unpack(answer))
        return int(ended - (sent or sent_by_itself))
    finally:
        for descriptor in (ready, result):
            os.close(descriptor)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _send(child: int, ready: int) -> int:
    """Signals the child as soon as it sleeps in its wait; the moment it did so."""
    os.read(ready, 1)
    _until_asleep(child)
    sent = time.monotonic_ns()
    os.kill(child, _SIGNAL)
    return sent


def _until_asleep(process: int) -> None:
    """The child said that it is about to wait; state S says that it does (proc_pid_stat(5))."""
    stat = Path(f"/proc/{process}/task/{process}/stat")
    end = time.monotonic() + _ROUND_LIMIT_S
    while time.monotonic() < end:
        if stat.read_text().rpartition(")")[2].split()[0] == "S":
            return
        time.sleep(0.0005)
    raise TimeoutError("the child did not go to sleep")


def _end_child(work: Callable[[], None]) -> NoReturn:
    try:
        work()
    finally:
        os._exit(0)


def _child(way: Way, situation: str, announce: int, report: int) -> None:
    sent: list[int] = []
    other = threading.Event()

    def before_wait() -> None:
        if situation == "before-wait" and not sent:
            sent.append(time.monotonic_ns())
            os.kill(os.getpid(), _SIGNAL)
        else:
            os.write(announce, b"\n")

    def instrumented(signals: Iterable[int], epoll: Epoll, log: Log) -> ExitWay:
        exit_way = way(signals, epoll, log)
        plain = exit_way.wait

        def wait(timeout_ms: int) -> list[Event]:
            before_wait()
            return plain(timeout_ms)

        # the hook sits exactly in the gap under test
        exit_way.wait = wait  # type: ignore[method-assign]
        return exit_way

    if situation == "other-thread":
        threading.Thread(target=other.wait, daemon=True).start()
    scheduler = EpollScheduler([_SIGNAL], instrumented)
    if situation == "other-thread":
        signal.pthread_sigmask(signal.SIG_BLOCK, [_SIGNAL])
    with scheduler:
        scheduler.spawn(scheduler.sleep(_ROUND_LIMIT_S))
        scheduler.run()
        ended = time.monotonic_ns()
    os.write(report, _NANOSECONDS.pack(sent[0] if sent else 0) + _NANOSECONDS.pack(ended))
