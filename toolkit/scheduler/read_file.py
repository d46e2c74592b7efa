"""Reading a file block by block on a completion port: right, and with the two faults every newcomer meets.

https://learn.microsoft.com/windows/win32/fileio/testing-for-the-end-of-a-file
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from toolkit.ffi.windows_errors import WindowsCallError, describe
from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.operation import Operation
from toolkit.scheduler.completion_port import CompletionPortScheduler
from toolkit.scheduler.handle_source import HandleSource

_PATIENCE_MS = 100


@dataclass(frozen=True)
class ReadEvent:
    """What a reader does or sees next."""

    text: str
    operation: str
    offset: str | None = None
    bytes: int | None = None
    error: int | None = None
    primitive: str = "iocp"
    type: str = field(default="event", init=False)


Tell = Callable[[ReadEvent], None]


def _starts(offset: int) -> ReadEvent:
    return ReadEvent(f"ReadFile from {offset}", "ReadFile", hex(offset))


def _ended(count: int) -> ReadEvent:
    return ReadEvent(f"Read {count} bytes", "Read", bytes=count)


async def read_blocks(
    scheduler: CompletionPortScheduler, source: HandleSource, size: int, tell: Tell
) -> None:
    """Reads to the end. The end of a file is error 38, at once or in the packet, which `read` gives as no bytes."""
    while True:
        tell(_starts(source.offset))
        data = await scheduler.read(source, size)
        tell(_ended(len(data)))
        if not data:
            return


async def read_without_offset(
    scheduler: CompletionPortScheduler, source: HandleSource, size: int, tell: Tell, times: int
) -> bool:
    """The first fault: nobody sets Offset, so each read gets the first block. Whether it showed in `times` reads."""
    seen = set()
    for _ in range(times):
        tell(_starts(source.offset))
        data = await scheduler.read(source, size)
        tell(_ended(len(data)))
        seen.add(data)
        source.offset = 0  # what an OVERLAPPED says whose Offset is never touched
    return len(seen) == 1 and b"" not in seen


def read_until_zero_bytes(source: HandleSource, size: int, tell: Tell, times: int) -> bool:
    """The second fault: 0 bytes are awaited as the end, and FALSE is taken for "nothing yet".

    ERROR_HANDLE_EOF is thrown away, whether ReadFile says it at once or a packet does, and the wait for the next packet
    never ends. Whether it showed, after `times` more waits.
    """
    with CompletionPort() as port:
        port.associate(source.handle, 1)
        operation = Operation(size)
        while True:
            tell(_starts(operation.offset))
            try:
                source.handle.read(operation)
            except WindowsCallError as failure:
                call, error = "ReadFile", failure.winerror
                break
            packet = port.wait(_PATIENCE_MS * 10)
            if packet is None:
                return False
            if packet.error:
                call, error = "GetQueuedCompletionStatus", packet.error
                break
            tell(_ended(packet.bytes))
            if packet.bytes == 0:
                return False
            operation.offset += packet.bytes
        tell(ReadEvent(f"FALSE, taken for nothing yet: {describe(error)}", call, error=error))
        for _ in range(times):
            if port.wait(_PATIENCE_MS) is not None:
                return False
            tell(
                ReadEvent("FALSE, taken for nothing yet: nothing will ever come", "GetQueuedCompletionStatus")
            )
    return True
