"""The story of a signalfd: signals read from a descriptor, and the mask that this takes (signalfd(2))."""

import os
import signal
from collections.abc import Iterator
from functools import partial

from toolkit.demos.step import Chapter, Step, tell
from toolkit.demos.workbench import outcome, workbench
from toolkit.ffi.flags import EPOLLIN
from toolkit.ffi.siginfo import SigInfo
from toolkit.lab.lab import Lab
from toolkit.primitives.signalfd import signal_name

_USED = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGCHLD, signal.SIGRTMIN)


def story() -> Iterator[Step]:
    """Tells it, each step when its calls are made. Masks and handlers are put back afterwards."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    handlers = {number: signal.getsignal(number) for number in _USED}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _USED)
    try:
        with workbench() as lab:
            yield from tell(_Story(lab).chapters())
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Story:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def chapters(self) -> list[Chapter]:
        return [
            ("A descriptor for SIGUSR1, and a handler; the signal is not blocked", self.unblocked),
            ("Blocked, the signal waits for a reader", self.blocked),
            ("The record says who sent it, and how", self.sender),
            ("A standard signal sent three times before it is read arrives once", self.coalesced),
            ("Real-time signals queue, in order, each with its value", self.queued),
            ("The value is a 64-bit word", self.word),
            ("The mask of the descriptor can be changed, for every holder", self.update),
            ("A child's end is a signal with a status", self.child),
            ("In an epoll it is a descriptor like any other", self.epoll),
            ("A program that is started inherits what is blocked", self.inherited),
            ("Unblocked, what is still pending goes to the handler after all", self.unblock),
        ]

    def unblocked(self) -> str:
        self._handled = self._lab.count_handled(signal.SIGUSR1)
        self._fd = self._lab.signalfd(signal.SIGUSR1, signal.SIGRTMIN)
        self._lab.kill(os.getpid(), signal.SIGUSR1)
        return f"the handler ran {len(self._handled)} time; the descriptor says {outcome(self._fd.read)}"

    def blocked(self) -> str:
        self._lab.block(signal.SIGUSR1, signal.SIGRTMIN)
        self._lab.kill(os.getpid(), signal.SIGUSR1)
        pending = ", ".join(signal_name(number) for number in self._lab.pending())
        readable = self._lab.poll(self._fd, EPOLLIN)
        return (
            f"pending: {pending}; the handler ran no more ({len(self._handled)}); readable: {bool(readable)}"
        )

    def sender(self) -> str:
        [info] = self._fd.read()
        mine = "this process" if info.ssi_pid == os.getpid() else f"process {info.ssi_pid}"
        return f"{info.name}, {info.code_name}, sent by {mine}, user {info.ssi_uid}"

    def coalesced(self) -> str:
        return f"values read: {self._values_of(signal.SIGUSR1)}"

    def queued(self) -> str:
        return f"values read: {self._values_of(signal.SIGRTMIN)}"

    def _values_of(self, number: int) -> list[int]:
        for value in (1, 2, 3):
            self._lab.queue(number, value)
        return [info.ssi_int for info in self._fd.read()]

    def word(self) -> str:
        self._lab.queue(signal.SIGRTMIN, 0xFEDC_BA98_7654_3210)
        [info] = self._fd.read()
        return f"ssi_ptr is {info.ssi_ptr:#x}, ssi_int is its low half: {info.ssi_int:#x}"

    def update(self) -> str:
        self._lab.block(signal.SIGUSR2)
        self._lab.kill(os.getpid(), signal.SIGUSR2)
        before = outcome(self._fd.read)
        self._fd.update([signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMIN])
        [info] = self._fd.read()
        return f"before the change: {before}; after it: {info.name}"

    def child(self) -> str:
        self._lab.block(signal.SIGCHLD)
        ends = self._lab.signalfd(signal.SIGCHLD)
        child = self._lab.fork(lambda _parent: 7)
        self._lab.poll(ends, EPOLLIN, within=10.0)
        [info] = ends.read()
        child.end()
        whose = "the child" if info.ssi_pid == child.pid else f"process {info.ssi_pid}"
        return f"{info.code_name}, {whose}, status {info.ssi_status}"

    def epoll(self) -> str:
        epoll = self._lab.epoll()
        self._lab.add(epoll, self._fd, EPOLLIN)
        before = self._lab.ready_count(epoll)
        self._lab.queue(signal.SIGUSR1, 5)
        after = self._lab.ready_count(epoll)
        infos: list[SigInfo] = self._fd.read()
        return f"ready before: {before}, after: {after}; read {infos[0].name} with {infos[0].ssi_int}"

    def inherited(self) -> str:
        command = ["sed", "-n", "s/^SigBlk:[[:space:]]*//p", "/proc/self/status"]
        mask = int(self._lab.execute(command, within=10.0), 16)
        names = [signal_name(number) for number in range(1, 65) if mask >> (number - 1) & 1]
        return f"blocked in the program: {', '.join(names)}"

    def unblock(self) -> str:
        self._lab.kill(os.getpid(), signal.SIGUSR1)
        self._lab.unblock(signal.SIGUSR1)
        late = outcome(partial(self._fd.read, 1))
        return f"the handler ran {len(self._handled)} times in all; the descriptor says {late}"
