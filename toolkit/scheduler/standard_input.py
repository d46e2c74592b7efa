"""Standard input for a completion port: nothing says that it was opened for overlapped calls, so a thread reads it.

The thread passes what it reads through a named pipe of our own, whose other end is read like any other pipe. When the
pipe is full it waits; when nobody reads any more it ends.
"""

import os
import threading
from contextlib import suppress

from toolkit.primitives.iocp import INFINITE
from toolkit.primitives.named_pipe import pipe_pair
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedFile
from toolkit.scheduler.handle_source import CannotRead, HandleSource

_STDIN = 0
_READ_SIZE = 65536


def standard_input() -> HandleSource:
    """What stands for `-`. Its thread is a daemon: blocked in a read, it does not hold the exit.

    Raises:
        CannotRead: standard input is closed.
    """
    try:
        os.fstat(_STDIN)
    except OSError as error:
        raise CannotRead("standard input, -, is closed") from error
    reader, writer = pipe_pair()
    source = HandleSource("-", reader)
    source.ends = True
    threading.Thread(target=_pass_on, args=(writer,), daemon=True).start()
    return source


def _pass_on(writer: OverlappedFile) -> None:
    with writer, suppress(OSError):  # the reader has closed its end, or stdin its own
        while data := os.read(_STDIN, _READ_SIZE):
            operation = Operation(data=data)
            try:
                writer.write(operation)
                writer.result(operation, INFINITE)
            finally:
                operation.arrive()  # no port hears of this end
