"""The same calls through ctypes, as one writes them without a compiler."""

import ctypes
import os
import signal
from contextlib import ExitStack

from toolkit.bench.contest import Run
from toolkit.bench.line import repeat
from toolkit.primitives.signalfd import blocked, mask_of

_ADD, _MOD, _DEL = 1, 3, 2
_EPOLLIN = 1
_SFD_NONBLOCK = os.O_NONBLOCK
_SIGINFO_BYTES = 128


class _Event(ctypes.Structure):
    _pack_ = 1 if os.uname().machine == "x86_64" else 0  # epoll_ctl(2): packed on x86-64 only
    _fields_ = (("events", ctypes.c_uint32), ("data", ctypes.c_uint64))


def make(stack: ExitStack, work: str) -> Run | None:
    """Sets `work` up; None for the batches, which ctypes has no better way for than a loop, and for two threads."""
    libc = ctypes.CDLL(None, use_errno=True)
    if work == "raise-read":
        stack.enter_context(blocked([signal.SIGRTMIN]))
        mask = (ctypes.c_uint64 * 16)(mask_of([signal.SIGRTMIN]))
        reader = _owned(stack, libc.signalfd(-1, ctypes.byref(mask), _SFD_NONBLOCK))
        record = ctypes.create_string_buffer(_SIGINFO_BYTES)
        names = {
            "kill": libc.kill,
            "pid": os.getpid(),
            "number": int(signal.SIGRTMIN),
            "read": libc.read,
            "fd": reader,
            "record": ctypes.byref(record),
        }
        return repeat("kill(pid, number); read(fd, record, 128)", names)
    counter = _owned(stack, os.eventfd(int(work.startswith("wait")), os.EFD_NONBLOCK | os.EFD_CLOEXEC))
    epoll = _owned(stack, libc.epoll_create1(0))
    event, value = _Event(_EPOLLIN, counter), ctypes.c_uint64(1)
    libc.epoll_ctl(epoll, _ADD, counter, ctypes.byref(event))
    names = {
        "write": libc.write,
        "read": libc.read,
        "ctl": libc.epoll_ctl,
        "wait": libc.epoll_wait,
        "fd": counter,
        "ep": epoll,
        "value": ctypes.byref(value),
        "event": ctypes.byref(event),
        "got": event,
    }
    line = {
        "write-read": "write(fd, value, 8); read(fd, value, 8)",
        "ctl-mod": f"ctl(ep, {_MOD}, fd, event)",
        "ctl-add-del": f"ctl(ep, {_DEL}, fd, event); ctl(ep, {_ADD}, fd, event)",
        "wait-1": "wait(ep, event, 1, 0); (got.data, got.events)",
        "write-wait-read": "write(fd, value, 8); wait(ep, event, 1, 0); (got.data, got.events); read(fd, value, 8)",
    }.get(work)
    return repeat(line, names) if line else None


def _owned(stack: ExitStack, fd: int) -> int:
    stack.callback(os.close, fd)
    return fd
