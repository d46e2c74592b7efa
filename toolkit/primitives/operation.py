"""One overlapped call: its OVERLAPPED and its buffer, alive for as long as the system may write into them.

From just before the call until its packet is taken from a port, a table here holds the operation, whoever else
forgets it: freeing either block earlier lets the kernel write into memory that has a new owner. An operation whose
packet is never taken therefore stays; `in_flight()` counts them.

https://learn.microsoft.com/windows/win32/api/minwinbase/ns-minwinbase-overlapped
"""

import atexit
from enum import Enum
from typing import Any

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import error_of
from toolkit.primitives.owned_handle import HandleLike, pointer_of

_in_flight: dict[int, "Operation"] = {}
take = _in_flight.pop
"""`take(address, None)`: the operation whose packet was just taken, which leaves the table; None for a word somebody
posted. The dictionary's own method: a function around it would cost half as much again, at each packet."""
_LOW = 0xFFFFFFFF
_new, _cast = windows.ffi.new, windows.ffi.cast
_OVERLAPPED, _CHARS, _NUMBER = (windows.ffi.typeof(name) for name in ("OVERLAPPED *", "char[]", "uintptr_t"))
_PENDING = windows.ffi.integer_const("ERROR_IO_PENDING")
_WARNINGS = tuple(windows.ffi.integer_const(name) for name in ("ERROR_MORE_DATA", "WSAEMSGSIZE"))


class Outcome(Enum):
    """What starting an operation led to, and so: whether its packet will come."""

    PENDING = "a packet will come when it ends"
    DONE_PACKET_FOLLOWS = "it ended at once, and its packet is queued all the same: handle it there, not here"
    DONE_NO_PACKET = "it ended at once and no packet comes: handle it now"


class Operation:
    """An OVERLAPPED with its buffer. Usable again once its packet was taken.

    Attributes:
        address: of the OVERLAPPED. Not an identity: the next one may get the same address.
        buffer: cffi memory of `size` bytes.
        context: whatever the caller wants to find again with the packet.
    """

    __slots__ = ("_kept", "_no_packet", "address", "buffer", "context", "overlapped", "size")

    def __init__(self, size: int = 0, *, data: bytes | None = None, offset: int = 0) -> None:
        """A buffer of `size` bytes to read into, or `data` to write; `offset` is the place in a file."""
        self.overlapped: Any = _new(_OVERLAPPED)
        self.address = int(_cast(_NUMBER, self.overlapped))
        if data is None:
            self.size = size
            self.buffer: Any = _new(_CHARS, size or 1)
        else:
            self.size = len(data)
            self.buffer = windows.ffi.from_buffer(_CHARS, data)
        self.context: object = None
        self._kept: object = None
        self._no_packet = False
        if offset:
            self.offset = offset

    @property
    def offset(self) -> int:
        """The place in the file, 64 bits: the caller's to set before each call; nothing advances it."""
        low: int = self.overlapped.Offset
        high: int = self.overlapped.OffsetHigh
        return low | high << 32

    @offset.setter
    def offset(self, value: int) -> None:
        self._not_in_flight()
        self.overlapped.Offset = value & _LOW
        self.overlapped.OffsetHigh = value >> 32

    def set_event(self, event: HandleLike, *, no_packet: bool = False) -> None:
        """An event to set at the end; with `no_packet` its low bit is set, and no packet is queued.

        https://learn.microsoft.com/windows/win32/api/ioapiset/nf-ioapiset-getqueuedcompletionstatus
        """
        self._not_in_flight()
        number = event if isinstance(event, int) else event.handle
        number |= no_packet
        self.overlapped.hEvent = pointer_of(number)
        self._no_packet = bool(number & 1)
        self._kept = event

    @property
    def transferred(self) -> int:
        """How many bytes moved, as the OVERLAPPED itself says (InternalHigh). Meaningless before the end."""
        count: int = self.overlapped.InternalHigh
        return count

    @property
    def status(self) -> int:
        """The NTSTATUS (Internal): 0x103 while pending."""
        code: int = self.overlapped.Internal
        return code & _LOW

    @property
    def pending(self) -> bool:
        """Whether its packet has yet to be taken."""
        return _in_flight.get(self.address) is self

    def data(self, count: int | None = None) -> bytes:
        """The first `count` bytes of the buffer; without it, as many as were transferred."""
        return bytes(windows.ffi.buffer(self.buffer, self.transferred if count is None else count))

    def depart(self) -> None:
        """Enters the table of operations in flight: before the call, since the packet may be taken before it returns.

        Raises:
            RuntimeError: it is in flight already; one OVERLAPPED cannot serve two calls.
        """
        if self.address in _in_flight:
            self._not_in_flight()
        overlapped = self.overlapped
        overlapped.Internal = 0
        overlapped.InternalHigh = 0
        _in_flight[self.address] = self

    def arrive(self) -> None:
        """Leaves the table: it ended and no packet will come, or nobody waits for one (an event without a port)."""
        _in_flight.pop(self.address, None)

    def settle(
        self, succeeded: bool, skips_packet: bool, call: str, handle: int, *arguments: object
    ) -> Outcome:
        """What the result of `call`, made on `handle` with this operation, means.

        Raises:
            WindowsCallError: it failed at once: no packet will come.
        """
        if succeeded:
            if skips_packet or self._no_packet:
                self.arrive()
                return Outcome.DONE_NO_PACKET
            return Outcome.DONE_PACKET_FOLLOWS
        code = windows.lib.GetLastError()
        if code == _PENDING:
            return Outcome.PENDING
        if code in _WARNINGS:  # its packet is queued
            return Outcome.DONE_PACKET_FOLLOWS
        self.arrive()
        raise error_of(code, call, hex(handle), *arguments)

    def _not_in_flight(self) -> None:
        if _in_flight.get(self.address) is self:
            raise RuntimeError(f"the operation at {self.address:#x} is in flight: take its packet first")

    def __repr__(self) -> str:
        return f"<Operation {self.address:#x}{' in flight' if self.pending else ''}>"


def _keep_to_the_end() -> None:
    """At exit the interpreter frees what modules hold; what the system may still write into must outlive even that."""
    if _in_flight:
        import ctypes  # only here: importing it costs more than all of this

        for operation in list(_in_flight.values()):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(operation))


atexit.register(_keep_to_the_end)


def in_flight() -> int:
    """How many operations wait for their packet to be taken."""
    return len(_in_flight)
