"""Probes of what the toolkit needs around processes: comparing descriptors, pidfds, reaping, capabilities."""

import array
import contextlib
import os
import select
import signal
import socket

from toolkit.features.trying import MissingError, Probe, in_child
from toolkit.ffi import linux, raw
from toolkit.ffi.errors import fail
from toolkit.primitives.deaf_fork import fork_deaf
from toolkit.primitives.kcmp import compare_files

_PIDFD_GETFD = 438  # include/uapi/asm-generic/unistd.h; one number on every architecture but alpha
_CAP_BLOCK_SUSPEND = 36  # include/uapi/linux/capability.h


def _kcmp() -> None:
    me = os.getpid()
    reader, writer = os.pipe()
    again = os.dup(reader)
    try:
        for other, same in ((again, True), (writer, False)):
            result = compare_files(me, reader, me, other)
            if (result == 0) != same:
                raise MissingError(f"kcmp says {result} for {'the same' if same else 'another'} file")
    finally:
        for fd in (reader, writer, again):
            os.close(fd)


def _pidfd_open() -> None:
    os.close(_own_pidfd())


def _pidfd_poll() -> None:
    child = fork_deaf()
    if child == 0:
        os._exit(0)
    pidfd = -1
    try:
        pidfd = os.pidfd_open(child)
        if not select.select([pidfd], [], [], 5)[0]:
            raise MissingError("the end of a child was not reported")
    finally:
        os.waitpid(child, 0)
        if pidfd >= 0:
            os.close(pidfd)


def _pidfd_send_signal() -> None:
    pidfd = _own_pidfd()
    try:
        signal.pidfd_send_signal(pidfd, 0)
    finally:
        os.close(pidfd)


def _pidfd_getfd() -> None:
    pidfd = _own_pidfd()
    reader, writer = os.pipe()
    try:
        result, error = raw.syscall(_PIDFD_GETFD, pidfd, reader, 0)
        if result < 0:
            fail(-error, "pidfd_getfd", pidfd, reader, 0)
        os.close(result)
    finally:
        for fd in (pidfd, reader, writer):
            os.close(fd)


def _own_pidfd() -> int:
    if not hasattr(os, "pidfd_open"):
        raise MissingError("this Python was built without pidfd_open")
    return os.pidfd_open(os.getpid())


def _subreaper() -> None:
    result = linux.compiled.evk_prctl(linux.compiled.PR_SET_CHILD_SUBREAPER, 1)
    if result < 0:
        fail(result, "prctl", "PR_SET_CHILD_SUBREAPER", 1)
    reader, writer = os.pipe()
    adopter = os.getpid()
    if os.fork() == 0:
        if os.fork() == 0:
            _say_when_adopted(writer, adopter)
        os._exit(0)
    os.close(writer)
    os.wait()
    if os.read(reader, 16) != str(os.getpid()).encode():
        raise MissingError("an orphan went to another process")
    os.wait()


def _say_when_adopted(writer: int, adopter: int) -> None:
    """In a grandchild: its parent's number, once that is no longer the one that is about to end."""
    try:
        before = os.getppid()
        if before not in (adopter, 1):  # else the one that was to end has ended already
            with contextlib.suppress(ProcessLookupError):
                select.select([os.pidfd_open(before)], [], [], 5)
        os.write(writer, str(os.getppid()).encode())
    finally:
        os._exit(0)


def _pass_descriptor() -> None:
    ours, theirs = socket.socketpair()
    reader, writer = os.pipe()
    with ours, theirs:
        try:
            socket.send_fds(ours, [b"x"], [reader])
            _, received, _, _ = socket.recv_fds(theirs, 1, 1)
            for fd in array.array("i", received):
                os.close(fd)
        finally:
            os.close(reader)
            os.close(writer)
    if len(received) != 1:
        raise MissingError("no descriptor arrived")


def _block_suspend() -> None:
    with open("/proc/self/status") as status:
        effective = next(line.split()[1] for line in status if line.startswith("CapEff:"))
    if not int(effective, 16) >> _CAP_BLOCK_SUSPEND & 1:
        raise MissingError("not in this process's effective set (capabilities(7))")


PROBES = {
    "kcmp": Probe("processes", "whether two numbers are one open file", _kcmp),
    "pidfd_open": Probe("processes", "a process as a descriptor", _pidfd_open),
    "pidfd_poll": Probe("processes", "waiting for a process to end, in an event loop", in_child(_pidfd_poll)),
    "pidfd_send_signal": Probe("processes", "a signal that cannot hit a reused pid", _pidfd_send_signal),
    "pidfd_getfd": Probe("processes", "a copy of another process's descriptor", _pidfd_getfd),
    "subreaper": Probe("processes", "orphans come to us and not to init", in_child(_subreaper)),
    "scm_rights": Probe("processes", "descriptors travel through a socket", _pass_descriptor),
    "cap_block_suspend": Probe("processes", "the right to use EPOLLWAKEUP", _block_suspend),
}
