"""Descriptors of kinds that a case needs one of, to show what it shares with the others."""

import os
import struct
from pathlib import Path

from toolkit.ffi import linux, raw
from toolkit.lab import calls
from toolkit.lab.base import LabBase

_TFD_CLOEXEC = _IN_CLOEXEC = os.O_CLOEXEC  # timerfd_create(2), inotify_init1(2)
_CLOCK_MONOTONIC = 1
_BILLION = 10**9


class Kinds(LabBase):
    """Each is a fresh descriptor, as a number."""

    def memfd(self) -> int:
        """memfd_create(2)."""
        return calls.described("memfd_create", '"evkit", MFD_CLOEXEC', lambda: os.memfd_create("evkit"))

    def timerfd(self) -> int:
        """timerfd_create(2): a monotonic timer, not armed.

        Raises:
            OSError: EMFILE, ENOSYS, ...
        """
        return _checked("timerfd_create", linux.compiled.SYS_timerfd_create, _CLOCK_MONOTONIC, _TFD_CLOEXEC)

    def arm_timerfd(self, timer: int, due_ns: int, period_ns: int = 0) -> None:
        """timerfd_settime(2): first expiration after `due_ns`, then every `period_ns`; 0 and 0 disarm it.

        Raises:
            OSError: not a timerfd.
        """
        spec = (*divmod(period_ns, _BILLION), *divmod(due_ns, _BILLION))
        with raw.Region() as region:
            address = region.write(struct.pack("=4q", *spec))
            _checked("timerfd_settime", linux.compiled.SYS_timerfd_settime, timer, 0, address, raw.NULL)

    def inotify(self) -> int:
        """inotify_init1(2).

        Raises:
            OSError: EMFILE, ENOSYS, ...
        """
        return _checked("inotify_init1", linux.compiled.SYS_inotify_init1, _IN_CLOEXEC)

    def fifo(self) -> Path:
        """mkfifo(3), in the case's own folder."""
        path = self.tmp_path / "fifo"
        calls.described(
            "mknodat", f'AT_FDCWD, "{path}", S_IFIFO|0600', lambda: os.mkfifo(path, 0o600), calls.zero
        )
        return path

    def pidfd(self, pid: int) -> int:
        """pidfd_open(2)."""
        return calls.described("pidfd_open", f"{pid}, 0", lambda: os.pidfd_open(pid))

    def terminal(self) -> tuple[int, int]:
        """`(controller, terminal)` of a new pseudo-terminal (pty(7))."""
        return calls.described("openpty", "", os.openpty, lambda ends: f"0 {list(ends)}")


def _checked(call: str, number: int, *words: int) -> int:
    result, error = raw.syscall(number, *words)
    if error:
        raise OSError(error, f"{call}: {os.strerror(error)}")
    return result
