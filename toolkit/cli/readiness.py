"""`--ready-fd N`: one newline and close, once a command that runs long is really waiting."""

import os

from toolkit.cli.refusal import refuse


class Readiness:
    """Says on descriptor `fd` that the command waits now; with None it says nothing."""

    def __init__(self, fd: int | None) -> None:
        """Refuses (status 2) a number that is not open: nobody would ever be told."""
        self._fd = fd
        if fd is not None:
            try:
                os.fstat(fd)
            except (OSError, OverflowError):  # EBADF, or more than an int
                refuse(f"--ready-fd {fd} is not open here; pass one, as in `--ready-fd 3 3>ready`")

    def announce(self) -> None:
        """Writes the newline and closes; again is harmless."""
        fd, self._fd = self._fd, None
        if fd is not None:
            try:
                os.write(fd, b"\n")
            except BrokenPipeError:
                pass  # who asked has left; the command goes on
            finally:
                os.close(fd)
