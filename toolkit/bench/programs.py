"""Peers that are programs of their own, each beside our stressor of the same shape: stress-ng and perf bench epoll."""

import re
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.bench.contest import Row, row_of
from toolkit.stress import engine, registry
from toolkit.stress.plan import Plan

_GRACE_S: Final = 30
_SEED: Final = 1


@dataclass(frozen=True)
class Peer:
    """A command that reports a rate, and our stressor that does the same; `note` says what differs.

    In `command`, {s} is the time in whole seconds. `counts` is the counter of ours that means the peer's operation.
    `by_cpu` counts CPU time instead of real time: for one thread that never sleeps, which a busy neighbour slows down.
    """

    stressor: str
    command: str
    rate: Callable[[str, int], float]
    note: str
    plan: dict[str, Any] = field(default_factory=dict)
    counts: str | None = None
    by_cpu: bool = False

    @property
    def program(self) -> str:
        """The executable's name."""
        return self.command.partition(" ")[0]

    @property
    def title(self) -> str:
        """The command as a contestant's name."""
        return re.sub(r" (-r|-t|--timeout) \{s\}s?| --metrics-brief", "", self.command)


def _stress_ng(report: str, seconds: int) -> float:
    """Bogo operations per second of real time: the sixth figure of its `metrc` line."""
    del seconds
    figures = re.findall(r"metrc: \[\d+\] \S+ +(\d+) +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)", report)
    return float(figures[-1][1])


def _perf_wait(report: str, seconds: int) -> float:
    del seconds
    return float(re.findall(r"Averaged (\d+) operations/sec", report)[-1]) * _threads(report)


def _perf_ctl(report: str, seconds: int) -> float:
    """Successful calls of all three kinds; perf gives each kind's mean over its threads for the whole run."""
    return (
        sum(map(float, re.findall(r"Averaged (\d+) (?:ADD|MOD|DEL) operations", report)))
        * _threads(report)
        / seconds
    )


def _threads(report: str) -> int:
    return int(re.findall(r"(\d+) threads", report)[0])


PEERS: Final = (
    Peer(
        "eventfd/pingpong",
        "stress-ng --eventfd 1 -t {s}s --metrics-brief",
        _stress_ng,
        "it also opens fdinfo and makes a failing read each time",
    ),
    Peer(
        "epoll/accept-storm",
        "stress-ng --epoll 1 -t {s}s --metrics-brief",
        _stress_ng,
        "it also makes four failing epoll_ctl calls a connection",
    ),
    Peer(
        "signalfd/queue",
        "stress-ng --sigq 1 -t {s}s --metrics-brief",
        _stress_ng,
        "it counts sends; ours are deliveries, verified",
        {"workers": 1},
    ),
    Peer(
        "signalfd/queue",
        "stress-ng --sigfd 1 -t {s}s --metrics-brief",
        _stress_ng,
        "one signal a read on its side",
        {"workers": 1},
    ),
    Peer(
        "epoll/wait",
        "perf bench epoll wait -t 1 -r {s}",
        _perf_wait,
        "the same topology: one event a wait",
        {"workers": 1, "maxevents": 1},
    ),
    Peer(
        "epoll/wait",
        "perf bench epoll wait -t 1 -r {s}",
        _perf_wait,
        "its default beside ours, which takes 64 events a wait",
        {"workers": 1, "maxevents": 64},
    ),
    Peer(
        "epoll/wait",
        "perf bench epoll wait -m -t 2 -r {s}",
        _perf_wait,
        "an instance for each of two threads",
        {"workers": 2, "maxevents": 1, "queue": "per-worker"},
    ),
    Peer(
        "epoll/ctl",
        "perf bench epoll ctl -t 1 -r {s}",
        _perf_ctl,
        "the same calls in the same order, by CPU time",
        {"workers": 1, "order": "round"},
        "received",
        by_cpu=True,
    ),
)


def installed(peers: Sequence[Peer] = PEERS) -> list[Peer]:
    """Those whose program is here."""
    return [peer for peer in peers if shutil.which(peer.program)]


def race(peer: Peer, rounds: int, seconds: int) -> Iterator[Row]:
    """Two Rows: ours, and the peer's with its ratio to ours. Each round runs both for `seconds`.

    Raises:
        OSError: the peer failed, or its report cannot be read.
    """
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_cost(peer, _our_rate, resource.RUSAGE_SELF, seconds))
        theirs.append(_cost(peer, _their_rate, resource.RUSAGE_CHILDREN, seconds))
    yield row_of(peer.stressor, "evkit stress", "evkit stress", ours, ours, 0)
    yield row_of(peer.stressor, peer.title, "evkit stress", theirs, ours, 0, peer.note)


def _cost(peer: Peer, rate_of: Callable[[Peer, int], float], who: int, seconds: int) -> float:
    """Nanoseconds an operation."""
    before = resource.getrusage(who)
    rate = rate_of(peer, seconds)
    after = resource.getrusage(who)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (used / seconds if peer.by_cpu else 1.0) * 1e9 / rate


def _our_rate(peer: Peer, seconds: int) -> float:
    primitive, _, name = peer.stressor.partition("/")
    plan = Plan(seed=_SEED, duration_ns=seconds * 10**9, **peer.plan)
    result, signal_number = engine.run(peer.stressor, registry.load(primitive, name), plan)
    if signal_number:
        signal.raise_signal(signal_number)  # the engine kept it from whoever handles it
    if not result.ok or not result.ops:
        broken = next((each.name for each in result.invariants if not each.ok), result.error)
        raise OSError(f"our own {peer.stressor} failed: {broken}")
    if peer.counts is None:
        return result.ops_per_s
    done = sum(int(getattr(worker, peer.counts)) for worker in result.per_worker)
    return done / result.ran_ns * 1e9


def _their_rate(peer: Peer, seconds: int) -> float:
    command = peer.command.format(s=seconds).split()
    try:
        done = subprocess.run(  # noqa: S603  a fixed list
            command, capture_output=True, text=True, timeout=seconds + _GRACE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{' '.join(command)} did not end within {seconds + _GRACE_S} s") from error
    report = done.stdout + done.stderr
    try:
        rate = peer.rate(report, seconds)
    except (IndexError, ValueError):
        rate = 0.0
    if done.returncode != 0 or rate <= 0:
        last = (report.strip() or "no output").splitlines()[-1]
        raise OSError(f"{' '.join(command)} reported no rate: {last}")
    return rate
