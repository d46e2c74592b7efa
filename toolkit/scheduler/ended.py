"""What a coroutine awaits on a completion port: the packet of an operation that was started."""

from collections.abc import Generator
from dataclasses import dataclass
from types import coroutine

from toolkit.primitives.iocp import Packet
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedHandle


@dataclass(frozen=True, eq=False)
class Ended:
    """Yielded to the scheduler: resume me with the packet of `operation`, started on `handle`."""

    handle: OverlappedHandle
    operation: Operation


@coroutine
def packet_of(handle: OverlappedHandle, operation: Operation) -> Generator[Ended, Packet, Packet]:
    """Suspends the calling coroutine until the operation's packet was taken."""
    packet = yield Ended(handle, operation)
    return packet
