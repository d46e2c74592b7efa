"""What `tail` reads from: fifos, devices, pipes, regular files, each opened so that it can be awaited."""

import errno
import os
import select
import stat


class CannotTail(Exception):  # noqa: N818  says what the user should hear, not where the program broke
    """A source that cannot be read line by line; the message says why and what would be right."""


class Source:
    """One open source of lines, by the name the user gave it; `-` is descriptor 0, which stays as it is."""

    def __init__(self, name: str) -> None:
        """Opens `name` without blocking: a fifo needs no writer yet (fifo(7)).

        Raises:
            CannotTail: missing, a directory, a socket, not readable.
        """
        self.name = name
        self.borrowed = name == "-"
        self.descriptor = 0 if self.borrowed else _open(name)
        self.is_fifo = stat.S_ISFIFO(os.fstat(self.descriptor).st_mode)

    def is_at_end(self) -> bool:
        """Whether a read of 0 bytes means the end: for a fifo only when a writer has been there and left.

        Before the first writer a fifo reads 0 bytes too; poll(2) tells the two apart by POLLHUP (fs/pipe.c, pipe_poll).
        """
        if not self.is_fifo:
            return True
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        ready = dict(poll.poll(0)).get(self.descriptor, 0)
        return bool(ready & select.POLLHUP) and not ready & select.POLLIN

    def reopen(self) -> None:
        """Forgets the writers that have left: a new open file waits for the next one. The fifo stays open throughout,
        so that nothing written meanwhile is lost.

        Raises:
            CannotTail: the name is gone.
        """
        before, self.descriptor = self.descriptor, _open(self.name)
        os.close(before)

    def close(self) -> None:
        """Closes what was opened here; again is harmless."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0 and not self.borrowed:
            os.close(descriptor)


def _open(name: str) -> int:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise CannotTail(f"{name} is a socket; tail reads files, fifos and devices") from error
        raise CannotTail(f"{name}: {error.strerror} (open)") from error
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CannotTail(f"{name} is a directory; tail reads files, fifos and devices")
    return descriptor
