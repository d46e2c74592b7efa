"""Bytes that come in pieces, taken out as lines."""

from collections.abc import Iterator
from typing import Final

LONGEST_LINE: Final = 1 << 20
"""What is longer is passed on in pieces: a source without newlines must not fill the memory."""


def take_lines(buffer: bytearray) -> Iterator[bytes]:
    """Takes the whole lines out of `buffer`; a line beyond 1 MiB is taken as it stands."""
    whole, newline, rest = buffer.rpartition(b"\n")
    if not newline:
        whole, rest = rest, bytearray()
    buffer[:] = rest
    yield from bytes(whole).split(b"\n")
