"""Packages from PyPI that do part of this, where they are installed: linuxfd, butter, signalfd."""

import os
import select
import signal
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec

from toolkit.bench.contest import Run
from toolkit.bench.line import SIGNAL_SELF, repeat, signal_self
from toolkit.primitives.signalfd import blocked

_FIELDS = [
    "signo",
    "errno",
    "code",
    "pid",
    "uid",
    "fd",
    "tid",
    "overrun",
    "trapno",
    "status",
    "int",
    "ptr",
    "utime",
    "stime",
    "addr",
]  # all that the package knows; ours has a few more


def is_installed(name: str) -> bool:
    """Whether a package can be imported."""
    return find_spec(name) is not None


def make_linuxfd(stack: ExitStack, work: str) -> Run | None:
    """linuxfd: objects over a C extension."""
    linuxfd = import_module("linuxfd")
    if work.startswith("raise"):
        stack.enter_context(blocked([signal.SIGRTMIN]))
        reader = linuxfd.signalfd(signalset={signal.SIGRTMIN}, nonBlocking=True)
        stack.callback(reader.close)
        take = 'read()["signo"]' if work == "raise-number" else "read()"  # it decodes all in any case
        return repeat(f"{SIGNAL_SELF}; {take}", {**signal_self(), "read": reader.read})
    if work not in ("write-read", "write-wait-read"):
        return None
    counter = linuxfd.eventfd(initval=0, nonBlocking=True)
    stack.callback(counter.close)
    return _cycle(stack, work, counter.fileno(), counter.write, counter.read)


def make_butter(stack: ExitStack, work: str) -> Run | None:
    """butter: objects over cffi."""
    if work not in ("write-read", "write-wait-read"):
        return None
    butter = import_module("butter.eventfd")
    counter = butter.Eventfd(0, butter.EFD_NONBLOCK)
    stack.callback(counter.close)
    return _cycle(stack, work, counter.fileno(), counter.increment, counter.read_event)


def make_signalfd(stack: ExitStack, work: str) -> Run | None:
    """signalfd: functions over cffi."""
    if not work.startswith("raise"):
        return None
    package = import_module("signalfd")
    stack.enter_context(blocked([signal.SIGRTMIN]))
    reader = package.signalfd(-1, [signal.SIGRTMIN], package.SFD_NONBLOCK)
    stack.callback(os.close, reader)
    fields = ["signo"] if work == "raise-number" else _FIELDS
    taken = ", ".join(f"info.ssi_{field}" for field in fields)
    names = {**signal_self(), "read": package.read_siginfo, "fd": reader}
    return repeat(f"{SIGNAL_SELF}; info = read(fd); ({taken},)", names)


def _cycle(stack: ExitStack, work: str, fd: int, write: object, read: object) -> Run:
    if work == "write-read":
        return repeat("write(1); read()", {"write": write, "read": read})
    epoll = select.epoll()
    stack.callback(epoll.close)
    epoll.register(fd, select.EPOLLIN)
    return repeat("write(1); poll(0, 1); read()", {"write": write, "poll": epoll.poll, "read": read})
