"""Entries that never become ready, more than one process may have descriptors for: helper processes hold the rest.

An entry stays in an epoll's list as long as its open file lives, whoever holds it; a helper that was forked shares the
instances, registers counters of its own and then only sleeps.
"""

import os
import resource
import select
import signal
from dataclasses import dataclass, field
from pathlib import Path

from toolkit.ffi import linux
from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EventFd
from toolkit.stress.interruption import leave_the_end_to_parent
from toolkit.stress.stage import Stage

_SPARE = 64  # descriptors left free in each process
_HELPER_DEADLINE_S = 60


@dataclass
class Idle:
    """Idle entries, how many, and the processes that hold those beyond this one's limit."""

    entries: int = 0
    helpers: list[int] = field(default_factory=list)

    def ended(self) -> list[str]:
        """The helpers that ended before their time, in words; their entries went with them."""
        found = []
        for pid in list(self.helpers):
            gone, status = os.waitpid(pid, os.WNOHANG)
            if gone:
                self.helpers.remove(pid)
                found.append(f"helper {pid} ended with status {os.waitstatus_to_exitcode(status)}")
        return found

    def end(self) -> None:
        """Ends the helpers."""
        for pid in self.helpers:
            os.kill(pid, signal.SIGKILL)
        for pid in self.helpers:
            os.waitpid(pid, 0)
        self.helpers.clear()


def register_idle(stage: Stage, instances: list[Epoll], entries: int) -> Idle:
    """Registers `entries` idle counters, spread over `instances`.

    Raises:
        OSError: a helper could not be started or could not register its part (ENOSPC at max_user_watches).
    """
    idle = Idle()
    stage.on_close(idle.end)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    own = max(0, min(entries, limit - _open_descriptors() - _SPARE))
    per_helper = limit - _open_descriptors() - _SPARE
    if per_helper <= 0:
        raise OSError(f"no descriptors left for idle entries: the limit is {limit} (ulimit -n)")
    rest = entries - own
    while rest > 0:  # helpers first: they inherit nothing of the idle ones registered here
        part = min(rest, per_helper)
        idle.helpers.append(_start_helper(instances, part))
        rest -= part
    for index in range(own):
        instances[index % len(instances)].add(stage.eventfd(), EPOLLIN, 2**63)
    idle.entries = entries
    return idle


def _open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _start_helper(instances: list[Epoll], entries: int) -> int:
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _hold(instances, entries, writer, parent)
    os.close(writer)
    with open(reader, "rb") as answers:
        ready, _, _ = select.select([answers], [], [], _HELPER_DEADLINE_S)
        answer = answers.read() if ready else b"0"
    if answer != b"ready":
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        number = int(answer or b"0")
        raise OSError(number, f"a helper could not register {entries} idle entries: {os.strerror(number)}")
    return pid


def _hold(instances: list[Epoll], entries: int, writer: int, parent: int) -> None:
    try:
        leave_the_end_to_parent()
        linux.compiled.evk_prctl(linux.compiled.PR_SET_PDEATHSIG, signal.SIGKILL)
        held = []
        for index in range(entries):
            held.append(EventFd())
            instances[index % len(instances)].add(held[-1], EPOLLIN, 2**63)
        os.write(writer, b"ready")
        os.close(writer)
        while os.getppid() == parent:
            signal.pause()
    except OSError as error:
        os.write(writer, str(error.errno or 0).encode())
    finally:
        os._exit(1)
