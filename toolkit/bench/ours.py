"""evkit's owning objects."""

import signal
from contextlib import ExitStack
from time import monotonic_ns
from typing import Any

from toolkit.bench.beside import answering
from toolkit.bench.contest import Run
from toolkit.bench.line import SIGNAL_SELF, repeat, signal_self
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, EventFd
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SignalFd, blocked

_MANY = 64


def make(stack: ExitStack, work: str) -> Run | None:
    """Sets `work` up."""
    if work.startswith("raise"):
        stack.enter_context(blocked([signal.SIGRTMIN]))
        reader = stack.enter_context(SignalFd([signal.SIGRTMIN], SFD_NONBLOCK | SFD_CLOEXEC))
        if work == "raise-number":
            return repeat(f"{SIGNAL_SELF}; read()", {**signal_self(), "read": reader.read_number})
        return repeat(f"{SIGNAL_SELF}; read(1)", {**signal_self(), "read": reader.read})
    if work == "ping-pong":
        return _ping_pong(stack)
    ready = work.startswith("wait")
    epoll = stack.enter_context(Epoll())
    counters = [_counter(stack, int(ready)) for _ in range(_MANY if work.endswith("64") else 1)]
    for each in counters:
        epoll.add(each, EPOLLIN)
    first, bits = counters[0], int(EPOLLIN)
    entries = [(each.fileno(), bits, each.fileno()) for each in counters]
    lines: dict[str, tuple[str, dict[str, Any]]] = {
        "write-read": ("write(1); read()", {"write": first.write, "read": first.read}),
        "ctl-mod": ("modify(fd, bits)", {"modify": epoll.modify, "fd": first.fileno(), "bits": bits}),
        "ctl-add-del": (
            "remove(fd); add(fd, bits)",
            {"remove": epoll.remove, "add": epoll.add, "fd": first.fileno(), "bits": bits},
        ),
        "ctl-mod-64": ("modify_many(entries)", {"modify_many": epoll.modify_many, "entries": entries}),
        "wait-1": ("wait(0)", {"wait": epoll.wait_one}),
        "wait-list-1": ("wait(64, 0)", {"wait": epoll.wait}),
        "wait-list-64": ("wait(64, 0)", {"wait": epoll.wait}),
        "write-wait-read": (
            "write(1); wait(0); read()",
            {"write": first.write, "wait": epoll.wait_one, "read": first.read},
        ),
    }
    return repeat(*lines[work])


def _counter(stack: ExitStack, initial: int) -> EventFd:
    return stack.enter_context(EventFd(initial, EFD_NONBLOCK | EFD_CLOEXEC))


def _ping_pong(stack: ExitStack) -> Run:
    there, back = stack.enter_context(EventFd()), stack.enter_context(EventFd())
    round_trip = repeat("write(1); read()", {"write": there.write, "read": back.read}, monotonic_ns)
    answer = repeat("read(); write(1)", {"write": back.write, "read": there.read})

    def run(ops: int) -> int:
        with answering(answer, ops, there.fileno()):
            return round_trip(ops)

    return run
