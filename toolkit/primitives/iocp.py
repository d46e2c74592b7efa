"""I/O completion ports: one queue of finished operations, for many handles and many threads.

https://learn.microsoft.com/windows/win32/fileio/i-o-completion-ports
"""

from array import array
from typing import Any, NamedTuple

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import error_of, fail
from toolkit.primitives.operation import Operation, take
from toolkit.primitives.owned_handle import HandleLike, OwnedHandle, pointer_of

INFINITE = 0xFFFFFFFF
"""A timeout that never comes."""

_WORDS_PER_ENTRY = 4  # OVERLAPPED_ENTRY: key, OVERLAPPED *, NTSTATUS, count and padding
_WORDS_PER_PACKET = 3
_OVERLAPPED = 2  # the last of them
_LOW = 0xFFFFFFFF
_FIRST_FAILURE = 0x80000000  # warnings (0x8...) are failures to a port, such as 234
_TIMED_OUT = windows.ffi.integer_const("WAIT_TIMEOUT")
_make = tuple.__new__  # a Packet's own constructor takes twice as long


class Packet(NamedTuple):
    """One finished operation, or one post.

    A packet always stands for something that ended, well (`error` 0) or not. A wait that failed is never a packet:
    it is None at the timeout, or an exception.
    """

    bytes: int
    key: int
    overlapped: int
    """The address of the OVERLAPPED, or the word that was posted in its place."""
    error: int
    """0, or the system error with which the operation failed: 38 at the end of a file, 995 when cancelled."""
    operation: Operation | None
    """The operation that ended; None for a post, and for a call made around these objects."""


class Alerted(Exception):  # noqa: N818  not an error: an asynchronous procedure call ran instead
    """An alertable wait ended because an asynchronous procedure call ran; no packet was taken."""


class CompletionPort(OwnedHandle):
    """A completion port. Several threads may wait on it at once; the order in which they wake is not promised."""

    __slots__ = ("_slots",)

    def __init__(self, concurrency: int = 0) -> None:
        """CreateIoCompletionPort without a file.

        Args:
            concurrency: how many threads the system lets run at once; 0 means as many as processors.

        Raises:
            WindowsCallError: the system has no memory for it.
        """
        pointer = windows.lib.CreateIoCompletionPort(pointer_of(-1), windows.NULL, 0, concurrency)
        if pointer == windows.NULL:
            fail("CreateIoCompletionPort", "INVALID_HANDLE_VALUE", "NULL", 0, concurrency)
        super().__init__(pointer)
        self._slots: _Slots | None = _new_slots()

    def _adopt(self, original: "CompletionPort", pointer: Any) -> None:  # noqa: ANN401  cffi data
        super()._adopt(original, pointer)
        self._slots = _new_slots()

    def associate(self, handle: HandleLike, key: int) -> None:
        """Binds `handle`, opened for overlapped calls, to this port for as long as its file lives.

        Raises:
            WindowsCallError: 87 for a handle that is bound already (to this port or another, or through a duplicate)
                or was not opened with FILE_FLAG_OVERLAPPED; 6 for what is no file.
            OverflowError: `key` does not fit 64 bits, unsigned.
            ValueError: closed.
        """
        file = pointer_of(handle)
        if windows.lib.CreateIoCompletionPort(file, pointer_of(self.handle), key, 0) == windows.NULL:
            fail(
                "CreateIoCompletionPort",
                hex(int(windows.ffi.cast("intptr_t", file))),
                hex(self.handle),
                hex(key),
                0,
            )

    def post(self, count: int = 0, key: int = 0, overlapped: int = 0) -> None:
        """PostQueuedCompletionStatus: queues a packet of three words that mean what its reader takes them to mean.

        Raises:
            WindowsCallError: the call failed.
            OverflowError: a word does not fit (32, 64 and 64 bits, unsigned).
            ValueError: closed.
        """
        if not windows.PostQueuedCompletionStatus(self._pointer, count, key, overlapped):
            _ = self.handle
            fail("PostQueuedCompletionStatus", hex(self._number), count, hex(key), hex(overlapped))

    def wait(self, timeout_ms: int = INFINITE) -> Packet | None:
        """GetQueuedCompletionStatus: one packet, or None at the timeout.

        Raises:
            WindowsCallError: the wait itself failed: 735 when the port was closed meanwhile, 6 for a dead handle.
            ValueError: closed.
        """
        slots = self._slots
        self._slots = None
        if slots is None:  # another thread waits with them
            slots = _new_slots()
        words, count, key, overlapped = slots
        words[_OVERLAPPED] = 0
        if windows.GetQueuedCompletionStatus(self._pointer, count, key, overlapped, timeout_ms):
            moved, number, address = words
            self._slots = slots
            return _make(Packet, (moved, number, address, 0, take(address, None)))
        moved, number, address = words
        self._slots = slots
        code: int = windows.lib.GetLastError()
        if address:  # a failed operation, and a packet was taken
            return _make(Packet, (moved, number, address, code, take(address, None)))
        if code == _TIMED_OUT:
            return None
        _ = self.handle
        raise error_of(code, "GetQueuedCompletionStatus", hex(self._number), timeout_ms)

    def wait_many(
        self, maximum: int = 64, timeout_ms: int = INFINITE, *, alertable: bool = False
    ) -> list[Packet]:
        """GetQueuedCompletionStatusEx: up to `maximum` packets; empty at the timeout.

        Raises:
            Alerted: the wait was alertable and an asynchronous procedure call ran.
            WindowsCallError: the wait itself failed.
            ValueError: closed, or `maximum` is below 1 (Windows and Wine disagree about what 0 does).
        """
        if maximum < 1:
            raise ValueError(f"maximum is {maximum}: at least 1")
        entries = windows.ffi.new("OVERLAPPED_ENTRY[]", maximum)
        removed = windows.ffi.new("ULONG *")
        if not windows.GetQueuedCompletionStatusEx(
            self._pointer, entries, maximum, removed, timeout_ms, alertable
        ):  # `removed` says nothing now: Wine leaves a 1 there
            code = windows.lib.GetLastError()
            if code == windows.lib.WAIT_TIMEOUT:
                return []
            if code == windows.lib.WAIT_IO_COMPLETION:
                raise Alerted
            _ = self.handle
            raise error_of(code, "GetQueuedCompletionStatusEx", hex(self._number), maximum, timeout_ms)
        words: list[int] = windows.ffi.unpack(
            windows.ffi.cast("ULONG_PTR *", entries), _WORDS_PER_ENTRY * removed[0]
        )
        each = iter(words)
        return [
            _make(Packet, (count & _LOW, key, address, _error_of_entry(address, status), take(address, None)))
            for key, address, status, count in zip(each, each, each, each, strict=True)
        ]


_Slots = tuple["array[int]", Any, Any, Any]
"""Three words for the answer, and the places in them of its DWORD, its ULONG_PTR and its OVERLAPPED *."""


def _new_slots() -> _Slots:
    """Where GetQueuedCompletionStatus puts its answer, kept between calls; an array is read faster than cffi data."""
    words = array("Q", bytes(8 * _WORDS_PER_PACKET))
    first = windows.ffi.cast("ULONG_PTR *", windows.ffi.from_buffer(words))
    return (
        words,
        windows.ffi.cast("DWORD *", first),  # the low half, on every machine that Windows runs on
        first + 1,
        windows.ffi.cast("OVERLAPPED **", first + _OVERLAPPED),
    )


def _error_of_entry(address: int, status: int) -> int:
    """The system error of an entry, from its NTSTATUS; a post's Internal is 0.

    Below 0x80000000 an NTSTATUS says that it went well, as GetQueuedCompletionStatus takes it: STATUS_TIMEOUT too.
    """
    if not status or not address or status & _LOW < _FIRST_FAILURE:
        return 0
    return error_of_status(status)


def error_of_status(status: int) -> int:
    """The system error for an NTSTATUS, as GetOverlappedResult translates it: 38 for 0xC0000011."""
    code: int = windows.lib.RtlNtStatusToDosError(windows.ffi.cast("long", status & _LOW))
    return code
