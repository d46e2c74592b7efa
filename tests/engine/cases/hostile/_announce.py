"""How a case that waits for ever tells its test that it does."""

import os


def announce() -> None:
    """Writes a byte to the fifo that the test reads, if it reads one."""
    fifo = os.environ.get("HOSTILE_FIFO")
    if fifo is not None:
        writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        os.write(writer, b".")
        os.close(writer)
