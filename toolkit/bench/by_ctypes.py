"""The same calls through ctypes, as one writes them without a compiler."""

import ctypes
import os
import signal
import threading
from contextlib import ExitStack
from struct import Struct

from toolkit.bench.contest import Run
from toolkit.bench.line import SIGNAL_SELF, repeat, signal_self
from toolkit.primitives.signalfd import blocked, mask_of

_ADD, _MOD, _DEL = 1, 3, 2
_EPOLLIN = 1
_SFD_NONBLOCK = os.O_NONBLOCK
_SIGINFO = Struct("=I2i2Ii4I2i4QH46x")  # signalfd(2): signalfd_siginfo up to ssi_addr_lsb


class _Event(ctypes.Structure):
    _pack_ = 1 if os.uname().machine == "x86_64" else 0  # epoll_ctl(2): packed on x86-64 only
    _fields_ = (("events", ctypes.c_uint32), ("data", ctypes.c_uint64))


def make(stack: ExitStack, work: str) -> Run | None:
    """Sets `work` up; None for the batches, which ctypes has no better way for than a loop, and for two threads."""
    libc = ctypes.CDLL(None, use_errno=True)
    if work.startswith("raise"):
        stack.enter_context(blocked([signal.SIGRTMIN]))
        mask = (ctypes.c_uint64 * 16)(mask_of([signal.SIGRTMIN]))
        reader = _owned(stack, libc.signalfd(-1, ctypes.byref(mask), _SFD_NONBLOCK))
        record = (ctypes.c_uint32 * (_SIGINFO.size // 4))()
        names = {
            **signal_self(),
            "kill": libc.pthread_kill,
            "thread": ctypes.c_ulong(threading.get_ident()),
            "read": libc.read,
            "fd": reader,
            "to": ctypes.byref(record),
            "record": record,
            "unpack": _SIGINFO.unpack,
        }
        take = "record[0]" if work == "raise-number" else "unpack(record)"
        return repeat(f"{SIGNAL_SELF}; read(fd, to, {_SIGINFO.size}); {take}", names)
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
