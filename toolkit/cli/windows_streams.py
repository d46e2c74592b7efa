"""stdout and stderr of a Windows process whose reader left.

The C runtime calls that EINVAL, as it calls everything that it does not know; Python passes it on. Nothing else makes a
write to these two streams invalid, so it becomes the BrokenPipeError that it is elsewhere.
"""

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Raw(io.FileIO):
    """Descriptor 1 or 2, whoever else has it."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """As FileIO's.

        Raises:
            BrokenPipeError: nobody reads it any more.
            OSError: what else went wrong.
        """
        try:
            return super().write(data)
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from error
            raise


def tell_broken_pipes() -> None:
    """Replaces both streams, unless they are closed or a console."""
    sys.stdout = _telling(sys.stdout)
    sys.stderr = _telling(sys.stderr)


def _telling(stream: TextIO) -> TextIO:
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # python -u has none in between
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(raw, io.FileIO):
        return stream
    stream.flush()
    telling = _Raw(raw.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        telling if raw is buffer else io.BufferedWriter(telling),
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
