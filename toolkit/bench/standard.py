"""What Python's standard library offers: os.eventfd (Linux, Python 3.10), select.epoll; no signalfd."""

import os
import select
from contextlib import ExitStack
from time import monotonic_ns
from typing import Any

from toolkit.bench.beside import answering
from toolkit.bench.contest import Run
from toolkit.bench.line import repeat

_MANY = 64


def make(stack: ExitStack, work: str) -> Run | None:
    """Sets `work` up; None for what it lacks."""
    if work.startswith("raise"):
        return None
    if work == "ping-pong":
        return _ping_pong(stack)
    epoll = select.epoll()
    stack.callback(epoll.close)
    fds = [_counter(stack, int(work.startswith("wait"))) for _ in range(_MANY if work.endswith("64") else 1)]
    for fd in fds:
        epoll.register(fd, select.EPOLLIN)
    read, write, bits = os.eventfd_read, os.eventfd_write, int(select.EPOLLIN)
    lines: dict[str, tuple[str, dict[str, Any]]] = {
        "write-read": ("write(fd, 1); read(fd)", {"write": write, "read": read, "fd": fds[0]}),
        "ctl-mod": ("modify(fd, bits)", {"modify": epoll.modify, "fd": fds[0], "bits": bits}),
        "ctl-add-del": (
            "unregister(fd); register(fd, bits)",
            {"register": epoll.register, "unregister": epoll.unregister, "fd": fds[0], "bits": bits},
        ),
        "ctl-mod-64": ("for fd in fds: modify(fd, bits)", {"modify": epoll.modify, "fds": fds, "bits": bits}),
        "wait-1": ("poll(0, 1)", {"poll": epoll.poll}),
        "wait-list-1": ("poll(0, 64)", {"poll": epoll.poll}),
        "wait-list-64": ("poll(0, 64)", {"poll": epoll.poll}),
        "write-wait-read": (
            "write(fd, 1); poll(0, 1); read(fd)",
            {"write": write, "poll": epoll.poll, "read": read, "fd": fds[0]},
        ),
    }
    return repeat(*lines[work])


def _counter(stack: ExitStack, initial: int, flags: int = os.EFD_NONBLOCK | os.EFD_CLOEXEC) -> int:
    fd = os.eventfd(initial, flags)
    stack.callback(os.close, fd)
    return fd


def _ping_pong(stack: ExitStack) -> Run:
    there, back = (_counter(stack, 0, os.EFD_CLOEXEC) for _ in range(2))
    names = {"write": os.eventfd_write, "read": os.eventfd_read, "there": there, "back": back}
    round_trip = repeat("write(there, 1); read(back)", names, monotonic_ns)
    answer = repeat("read(there); write(back, 1)", names)

    def run(ops: int) -> int:
        with answering(answer, ops, there):
            return round_trip(ops)

    return run
