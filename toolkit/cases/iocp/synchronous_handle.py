"""A handle that was not opened for overlapped calls takes an OVERLAPPED and does not overlap.

What it does        Reads a file through a handle without FILE_FLAG_OVERLAPPED, with and without an OVERLAPPED, and
                    tries to bind it to a port.
Why it bites        ReadFile blocks, the offset is honoured, and the end of the file is said differently with and
                    without an OVERLAPPED: 38, or TRUE with 0 bytes.
What you will see   The read is done when the call returns; at the end FALSE and 38 with an OVERLAPPED, TRUE and 0
                    bytes without; and 87 from the port.
References          Microsoft: Testing for the End of a File, CreateIoCompletionPort
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def synchronous_handle(lab: "WindowsLab") -> None:
    """With an OVERLAPPED, without, and at a port."""
    file = lab.file(b"0123456789", overlapped=False)
    handle = lab.pointer_of(file)
    buffer, count = lab.ffi.new("char[16]"), lab.ffi.new("DWORD *")

    def read(offset: int | None) -> list[object]:
        place = lab.NULL if offset is None else lab.ffi.new("OVERLAPPED *")
        if offset is not None:
            place.Offset = offset
        done = lab.lib.ReadFile(handle, buffer, 16, count, place)
        return [done, count[0]] if done else [done, lab.last_error()]

    lab.must("iocp-synchronous-handle-offset-honoured", expected=[1, 6], observed=read(4))
    lab.must("iocp-synchronous-handle-eof-38-with-overlapped", expected=[0, 38], observed=read(10))
    lab.must("iocp-synchronous-handle-eof-zero-without", expected=[1, 0], observed=read(None))
    lab.must("iocp-not-overlapped-87", expected=87, observed=lab.error_of(lab.port().associate, file, 1))


CASE = Case(
    variants=(synchronous_handle,),
    claims=(
        Claim(
            "iocp-synchronous-handle-offset-honoured",
            "Without FILE_FLAG_OVERLAPPED a read with an OVERLAPPED is done when the call returns, from its offset.",
            "Microsoft: ReadFile",
        ),
        Claim(
            "iocp-synchronous-handle-eof-38-with-overlapped",
            "There, the end of the file is FALSE and 38 with an OVERLAPPED.",
            "Microsoft: Testing for the End of a File",
        ),
        Claim(
            "iocp-synchronous-handle-eof-zero-without",
            "Without an OVERLAPPED the end of the file is TRUE and 0 bytes.",
            "Microsoft: Testing for the End of a File",
        ),
        Claim(
            "iocp-not-overlapped-87",
            "A handle without FILE_FLAG_OVERLAPPED cannot be bound to a port: 87.",
            "Microsoft: CreateIoCompletionPort",
        ),
    ),
    needs=("iocp",),
)
