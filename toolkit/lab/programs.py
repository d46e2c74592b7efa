"""A fresh program in a child: what survives execve(2)."""

import os
import select
import sys
from collections.abc import Callable, Iterable

from toolkit.ffi import tracing
from toolkit.lab.checks import DeadlineError
from toolkit.lab.processes import Processes


class Programs(Processes):
    """Running programs that inherit what the case wants them to.

    Attributes:
        last_status: the exit status of the last program, or -N when signal N ended it.
    """

    last_status: int = 0

    def python(
        self,
        code: str,
        keep: Iterable[int] = (),
        before: Callable[[], None] | None = None,
        within: float = 5.0,
    ) -> str:
        """`execute` with a fresh Python that runs `code`."""
        return self.execute([sys.executable, "-I", "-S", "-c", code], keep, before, within)

    def execute(
        self,
        command: list[str],
        keep: Iterable[int] = (),
        before: Callable[[], None] | None = None,
        within: float = 5.0,
    ) -> str:
        """Runs a program that inherits the numbers in `keep`: what it printed, stripped.

        `before` runs in the child between fork and exec; `last_status` is how the program ended. The signal mask,
        ignored signals and pending signals pass through execve(2), handlers do not.

        Raises:
            DeadlineError: it did not end in time.
        """
        reader, writer = os.pipe()
        inherited = [writer, *keep]

        def become_program(_parent: object) -> None:
            if before is not None:
                before()
            for fd in inherited:
                os.set_inheritable(fd, True)
            os.dup2(writer, 1)
            os.execvp(command[0], command)  # noqa: S606  the case's own command

        child = self.fork(become_program)
        tracing.emit("execve", f'"{command[0]}", {command!r}', 0)
        os.close(writer)
        try:
            return _read_all(reader, self.seconds(within))
        finally:
            os.close(reader)
            self.last_status = child.end(within)


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
