"""Signals: blocking, sending, handling, and signalfds."""

import os
import signal
from collections.abc import Callable, Iterable
from typing import Any

from toolkit.ffi import tracing
from toolkit.ffi.siginfo import mask_of, signal_name
from toolkit.lab.base import LabBase
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SigInfo, SignalFd, sigqueue


class Signals(LabBase):
    """Signal masks belong to the calling thread."""

    def signalfd(self, *signals: int, flags: int = SFD_CLOEXEC | SFD_NONBLOCK) -> SignalFd:
        """A signalfd, non-blocking unless told otherwise. It does not block the signals: see `block`."""
        fd = SignalFd(signals, flags)
        self.keep(fd)
        return fd

    def block(self, *signals: int) -> None:
        """Blocks signals in this thread."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        tracing.emit("rt_sigprocmask", f"SIG_BLOCK, {_set(signals)}, NULL, 8", 0)

    def unblock(self, *signals: int) -> None:
        """Unblocks signals in this thread; pending ones are delivered before it returns."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        tracing.emit("rt_sigprocmask", f"SIG_UNBLOCK, {_set(signals)}, NULL, 8", 0)

    def pending(self) -> list[int]:
        """sigpending(2), lowest number first."""
        return sorted(int(number) for number in signal.sigpending())

    def records(self, fd: SignalFd, maximum: int = 32) -> list[SigInfo]:
        """What a non-blocking signalfd has now; empty when nothing is pending."""
        try:
            return fd.read(maximum)
        except BlockingIOError:
            return []

    def send_signal(self, number: int) -> None:
        """kill(2) to this process."""
        self.kill(os.getpid(), number)

    def kill_thread(self, ident: int, number: int) -> None:
        """pthread_kill(3) to one thread of this process."""
        signal.pthread_kill(ident, number)
        tracing.emit("tgkill", f"{os.getpid()}, ..., {signal_name(number)}", 0)

    def kill(self, pid: int, number: int) -> None:
        """kill(2)."""
        tracing.emit("kill", f"{pid}, {signal_name(number)}", 0)
        os.kill(pid, number)

    def queue(self, number: int, value: int = 0, pid: int | None = None) -> None:
        """sigqueue(3), to this process unless a pid is given."""
        sigqueue(os.getpid() if pid is None else pid, number, value)

    def count_handled(self, number: int) -> list[int]:
        """Installs a handler; the list that it appends the signal's number to each time it runs."""
        handled: list[int] = []
        self.handle(number, lambda: handled.append(number))
        return handled

    def handle(self, number: int, function: Callable[[], Any]) -> None:
        """Installs a handler that calls `function`."""
        signal.signal(number, lambda _number, _frame: function())
        tracing.emit("rt_sigaction", f"{signal_name(number)}, {{sa_handler=...}}, NULL, 8", 0)


def _set(signals: Iterable[int]) -> str:
    from toolkit.ffi.call_formats import signal_set

    return signal_set(mask_of(int(number) for number in signals))
