"""Only handles opened for overlapped calls can be bound.

What it does        Tries to bind a Python file, an anonymous pipe, an event, a closed handle; and to bind to what
                    is no port.
Why it bites        os.pipe and open() give handles that no port takes. An event or a dead number is told apart by
                    6.
What you will see   87 for files that cannot, 6 for what is no file or no port.
References          Microsoft: CreateIoCompletionPort
"""

import os
from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def what_can_be_bound(lab: "WindowsLab") -> None:
    """What cannot."""
    import msvcrt  # only Windows has it

    port, event = lab.port(), lab.event()
    reader, writer = os.pipe()
    dead, _ = lab.pipe()
    number = dead.handle
    dead.close()
    with lab.path(b"x").open("rb") as plain:
        files = [msvcrt.get_osfhandle(plain.fileno()), msvcrt.get_osfhandle(reader)]  # type: ignore[attr-defined]  # Windows
        errors = [lab.error_of(port.associate, handle, 1) for handle in files]
    for descriptor in (reader, writer):
        os.close(descriptor)
    lab.must("iocp-not-opened-overlapped-87", expected=[87, 87], observed=errors)
    errors = [lab.error_of(port.associate, event, 1), lab.error_of(port.associate, number, 1)]
    server, _ = lab.pipe()
    made = lab.lib.CreateIoCompletionPort(lab.pointer_of(server), lab.pointer_of(event), 1, 0)
    errors.append(0 if made != lab.NULL else lab.last_error())
    lab.must("iocp-no-file-or-no-port-6", expected=[6, 6, 6], observed=errors)


CASE = Case(
    variants=(what_can_be_bound,),
    claims=(
        Claim(
            "iocp-not-opened-overlapped-87",
            "A file or pipe without FILE_FLAG_OVERLAPPED cannot be bound: 87.",
            "Microsoft: CreateIoCompletionPort",
        ),
        Claim(
            "iocp-no-file-or-no-port-6",
            "An event or closed handle as the file, or an event as the port, is refused with 6.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
