"""What concerns the whole machine: its sysctls, its capabilities, its mounts."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.ffi import linux, raw, tracing

_MAY_CHANGE = "EVKIT_MAY_CHANGE_SYSCTLS"
_NOBODY = 65534
_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
_MS_REC = 0x4000
_MS_PRIVATE = 1 << 18


def may_change_sysctls() -> str | None:
    """Why the limits of the whole machine are left alone; None when they may be changed for a moment."""
    if os.environ.get(_MAY_CHANGE) != "1":
        return f"it lowers a limit of the whole machine for a moment: {_MAY_CHANGE}=1 where that harms nobody"
    return None if os.geteuid() == 0 else "only root may change sysctls"


@contextmanager
def sysctl(name: str, value: int) -> Iterator[None]:
    """Sets `/proc/sys/NAME` and puts it back, while no other case does so: what one lowers, another would feel.

    Raises:
        OSError: not permitted here.
    """
    path = Path("/proc/sys", name)
    turn = os.open("/proc/sys", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX)
        before = path.read_text()
        path.write_text(str(value))
        tracing.emit("write", f'"/proc/sys/{name}", "{value}"', len(str(value)))
        try:
            yield
        finally:
            path.write_text(before)
    finally:
        os.close(turn)


def become_nobody() -> None:
    """Root becomes uid 65534 and loses all capabilities; others have none to lose (capabilities(7))."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        tracing.emit("setresuid", f"{_NOBODY}, {_NOBODY}, {_NOBODY}", 0)


def own_mounts() -> None:
    """A mount namespace of this process alone (unshare(2)); with a user namespace where that is needed.

    Raises:
        OSError: neither is permitted.
    """
    for flags in (_CLONE_NEWNS, _CLONE_NEWNS | _CLONE_NEWUSER):
        result, error = raw.syscall(linux.compiled.SYS_unshare, flags)
        if result == 0:
            _mount("none", "/", "none", _MS_REC | _MS_PRIVATE)
            return
    raise OSError(error, f"unshare: {os.strerror(error)}")


def mount_tmpfs(path: Path) -> None:
    """mount(2).

    Raises:
        OSError: not permitted.
    """
    _mount("tmpfs", str(path), "tmpfs", 0)


def unmount(path: Path) -> None:
    """umount2(2).

    Raises:
        OSError: not permitted, or not mounted.
    """
    with raw.Region() as region:
        _must(raw.syscall(linux.compiled.SYS_umount2, region.write(str(path).encode() + b"\0"), 0), "umount2")


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    with raw.Region() as region:
        places = [
            region.write(text.encode() + b"\0", offset)
            for offset, text in ((0, source), (64, kind), (128, target))
        ]
        words = (places[0], places[2], places[1], flags, raw.NULL)
        _must(raw.syscall(linux.compiled.SYS_mount, *words), "mount")


def _must(outcome: raw.Outcome, call: str) -> None:
    result, error = outcome
    if result < 0:
        raise OSError(error, f"{call}: {os.strerror(error)}")
