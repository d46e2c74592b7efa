"""Watching signals with a signalfd, alone or beside a command whose end is reported too."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.signalfd import (
    SFD_CLOEXEC,
    SFD_NONBLOCK,
    SigInfo,
    SignalFd,
    blocked,
    signal_name,
)
from toolkit.watch.deadline import Deadline
from toolkit.watch.inheritance import IGNORED_BY_PYTHON
from toolkit.watch.interruptible import wait

_POINTERS = ("ssi_ptr", "ssi_addr", "ssi_call_addr", "ssi_utime", "ssi_stime")
_UNUSED = {"ssi_call_addr", "ssi_arch", "ssi_syscall", "ssi_addr_lsb", "ssi_addr", "ssi_trapno"}


@dataclass(frozen=True)
class SeenSignal:
    """One signal read from the signalfd.

    Attributes:
        signal: its name.
        code: who made it: `SI_USER`, `SI_QUEUE`, `CLD_EXITED` (sigaction(2)).
        pid: the sender, or the child that SIGCHLD is about.
        uid: the sender's user.
        siginfo: every field, 64-bit ones in hex.
    """

    signal: str
    code: str
    pid: int
    uid: int
    siginfo: dict[str, int | str]
    primitive: str = "signalfd"
    type: str = field(default="event", init=False)


@dataclass(frozen=True)
class ChildEnd:
    """A child that ended: the command, or an orphan of it that came to us.

    Attributes:
        pid: its number.
        status: what it exited with, unless a signal ended it.
        signal: the signal that ended it.
        is_command: it is the command itself.
    """

    pid: int
    status: int | None = None
    signal: str | None = None
    is_command: bool = False
    operation: str = "child_end"
    primitive: str = "signalfd"
    type: str = field(default="event", init=False)

    @property
    def shell_status(self) -> int:
        """As a shell gives it in `$?`."""
        return self.status if self.status is not None else 128 + signal.Signals[str(self.signal)]


def as_seen(info: SigInfo) -> SeenSignal:
    """The record of one siginfo."""
    fields: dict[str, int | str] = {
        name: hex(value) if name in _POINTERS else value
        for name, value in info._asdict().items()
        if value or name not in _UNUSED
    }
    return SeenSignal(info.name, info.code_name, info.ssi_pid, info.ssi_uid, fields)


def watch(signals: Sequence[int], deadline: Deadline, when_waiting: Callable[[], None]) -> Iterator[SigInfo]:
    """Blocks `signals` and yields each that arrives, until the deadline passes."""
    with blocked(signals), _Reader(signals) as reader:
        when_waiting()
        while reader.wait(deadline):
            yield from reader.drain()
            if deadline.passed:  # somebody may send for ever
                return


def watch_command(
    signals: Sequence[int], command: list[str], deadline: Deadline, when_waiting: Callable[[], None]
) -> Iterator[SigInfo | ChildEnd]:
    """As `watch`, while `command` runs with the mask that this process had: ends after the command.

    Orphans of the command come to us (PR_SET_CHILD_SUBREAPER), so their ends are reported too. When a signal or the
    deadline ends the watch, the command is sent SIGTERM.

    Raises:
        OSError: the command cannot be run.
    """
    linux.lib.evk_prctl(linux.compiled.PR_SET_CHILD_SUBREAPER, 1)
    mask = [*signals, signal.SIGCHLD]
    with blocked(mask) as before, _Reader(mask) as reader:
        when_waiting()
        child = os.posix_spawnp(
            command[0], command, os.environ, setsigmask=before, setsigdef=IGNORED_BY_PYTHON
        )
        with ExitStack() as running:
            running.callback(_end, child)
            while reader.wait(deadline):
                yield from (info for info in reader.drain() if info.ssi_signo in signals)
                ends = list(_reap(child))
                if any(end.is_command for end in ends):  # what it sent before it ended is pending by now
                    running.pop_all()
                    yield from (info for info in reader.drain() if info.ssi_signo in signals)
                yield from ends
                if any(end.is_command for end in ends) or deadline.passed:
                    return


class _Reader:
    """A signalfd in an epoll: waits, and reads all that is pending."""

    def __init__(self, signals: Sequence[int]) -> None:
        self._signals = SignalFd(signals, SFD_CLOEXEC | SFD_NONBLOCK)
        self._epoll = Epoll()
        self._epoll.add(self._signals, EPOLLIN)

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._epoll.close()
        self._signals.close()

    def wait(self, deadline: Deadline) -> bool:
        """Whether something is pending; False when the deadline passed."""
        return bool(wait(self._epoll, deadline, 1))

    def drain(self) -> Iterator[SigInfo]:
        with suppress(BlockingIOError):
            while True:
                yield from self._signals.read()


def _reap(command: int) -> Iterator[ChildEnd]:
    """Every child that has ended: one SIGCHLD may stand for several."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            if code >= 0:
                yield ChildEnd(pid, status=code, is_command=pid == command)
            else:
                yield ChildEnd(pid, signal=signal_name(-code), is_command=pid == command)


def _end(child: int) -> None:
    """The watch ends before the command: it is told so, and not waited for."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGTERM)
