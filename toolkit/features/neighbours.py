"""Probes of what stands beside the primitives: other things that loops wait on, and other ways to wait."""

import os
import select

from toolkit.features.trying import MissingError, Probe
from toolkit.ffi import raw
from toolkit.ffi.errors import fail

_IO_URING_SETUP = 425  # include/uapi/asm-generic/unistd.h; 425 on x86-64 too
_IO_URING_PARAMS_BYTES = 120
_TIMERFD_CREATE = {"x86_64": 283}
_GENERIC_TIMERFD_CREATE = 85  # include/uapi/asm-generic/unistd.h: arm64, riscv
_CLOCK_MONOTONIC = 1
_CLOSE_RANGE = 436


def _io_uring() -> None:
    with raw.Region() as region:
        params = region.write(bytes(_IO_URING_PARAMS_BYTES))
        fd, error = raw.syscall(_IO_URING_SETUP, 1, params)
    if fd < 0:
        fail(-error, "io_uring_setup", 1)
    os.close(fd)


def _timerfd() -> None:
    number = _TIMERFD_CREATE.get(os.uname().machine, _GENERIC_TIMERFD_CREATE)
    fd, error = raw.syscall(number, _CLOCK_MONOTONIC, 0)
    if fd < 0:
        fail(-error, "timerfd_create", "CLOCK_MONOTONIC", 0)
    os.close(fd)


def _close_range() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    result, error = raw.syscall(_CLOSE_RANGE, reader, reader, 0)
    if result < 0:
        os.close(reader)
        fail(-error, "close_range", reader, reader, 0)


def _memfd() -> None:
    os.close(os.memfd_create("evkit"))


def _kqueue() -> None:
    if not hasattr(select, "kqueue"):
        raise MissingError("a primitive of the BSDs and macOS; `evkit map` shows what takes its place")
    select.kqueue().close()


PROBES = {
    "io_uring": Probe("neighbours", "completions, also for regular files", _io_uring),
    "timerfd": Probe("neighbours", "timers as descriptors", _timerfd),
    "close_range": Probe("neighbours", "closing many numbers at once", _close_range),
    "memfd": Probe("neighbours", "files without a name", _memfd),
    "kqueue": Probe("neighbours", "the BSDs' readiness queue", _kqueue),
}
