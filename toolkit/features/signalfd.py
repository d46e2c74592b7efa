"""Probes of signalfd(2) and of the signals that it reads; all in children, whose masks nobody shares."""

import os
import signal

from toolkit.features.trying import MissingError, Probe, in_child
from toolkit.primitives.fdinfo import read_fdinfo
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SigInfo, SignalFd, blocked, sigqueue

_WORD = 0xFEDC_BA98_7654_3210


def _queued(number: int, value: int) -> SigInfo:
    with blocked([number]), SignalFd([number], SFD_CLOEXEC | SFD_NONBLOCK) as signals:
        sigqueue(os.getpid(), number, value)
        return signals.read()[0]


def _read() -> None:
    if _queued(signal.SIGUSR1, 0).ssi_pid != os.getpid():
        raise MissingError("ssi_pid is not the sender")


def _value() -> None:
    info = _queued(signal.SIGRTMIN, _WORD)
    if info.ssi_ptr != _WORD:
        raise MissingError(f"sent {_WORD:#x}, ssi_ptr is {info.ssi_ptr:#x}")


def _realtime() -> str:
    number = signal.SIGRTMIN
    with blocked([number]), SignalFd([number], SFD_CLOEXEC | SFD_NONBLOCK) as signals:
        for value in (1, 2, 3):
            sigqueue(os.getpid(), number, value)
        values = [info.ssi_int for info in signals.read()]
    if values != [1, 2, 3]:
        raise MissingError(f"queued 1, 2, 3 and read {values}")
    return f"{int(signal.SIGRTMIN)} to {int(signal.SIGRTMAX)}"


def _fdinfo() -> None:
    with SignalFd([signal.SIGUSR1]) as signals:
        if int(read_fdinfo(signals.fileno()).get("sigmask", "0"), 16) != 1 << (signal.SIGUSR1 - 1):
            raise MissingError("fdinfo has no mask, or another one")


PROBES = {
    "signalfd4": Probe("signalfd", "reading a signal with its sender", in_child(_read)),
    "sigqueue_value_64": Probe("signalfd", "all 64 bits of a queued value arrive", in_child(_value)),
    "realtime_signals": Probe("signalfd", "signals that queue and keep their order", in_child(_realtime)),
    "signalfd_fdinfo": Probe("signalfd", "/proc tells the mask", in_child(_fdinfo)),
}
