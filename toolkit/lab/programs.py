"""A fresh program in a child: what survives execve(2)."""

import os
import select
import sys
from collections.abc import Iterable

from toolkit.ffi import tracing
from toolkit.lab.checks import DeadlineError
from toolkit.lab.processes import Processes


class Programs(Processes):
    """Running programs that inherit what the case wants them to."""

    def execute(self, code: str, keep: Iterable[int] = (), within: float = 5.0) -> str:
        """Runs Python `code` in a new program that inherits the numbers in `keep`: what it printed.

        The signal mask and pending signals pass through execve(2), handlers do not.

        Raises:
            DeadlineError: it did not end in time.
        """
        reader, writer = os.pipe()
        inherited = [writer, *keep]

        def become_program(_parent: object) -> None:
            for fd in inherited:
                os.set_inheritable(fd, True)
            os.dup2(writer, 1)
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", code])  # noqa: S606  our own interpreter

        child = self.fork(become_program)
        tracing.emit("execve", f'"{sys.executable}", ["python", "-c", ...]', 0)
        os.close(writer)
        try:
            return _read_all(reader, self.seconds(within))
        finally:
            os.close(reader)
            child.stop()


def _read_all(fd: int, within: float) -> str:
    found = b""
    waiting = select.poll()
    waiting.register(fd, select.POLLIN)
    while waiting.poll(within * 1000):
        piece = os.read(fd, 65536)
        if not piece:
            return found.decode().strip()
        found += piece
    raise DeadlineError("a program did not end in time")
