"""A port's handle is checked at each call, and the port is an object like others.

What it does        Waits and posts on handles that are closed, NULL, -1 or an event; waits for the port itself;
                    uses a duplicate.
Why it bites        A worker that goes on after shutdown calls with a dead handle. It gets 6 only as long as nobody
                    has that number again.
What you will see   6 for each wrong handle; the port is signalled exactly while a packet is there; a duplicate
                    works after the original was closed.
References          Microsoft: CreateIoCompletionPort, DuplicateHandle, WaitForSingleObject
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def port_handles(lab: "WindowsLab") -> None:
    """Wrong handles, the port as an object, a second handle."""
    event, port = lab.event(), lab.port()
    dead = lab.port()
    number = dead.handle
    dead.close()
    outputs = lab.ffi.new("DWORD *"), lab.ffi.new("ULONG_PTR *"), lab.ffi.new("OVERLAPPED **")
    errors = []
    for handle in (0, -1, event.handle, number):
        target = lab.pointer_of(handle)
        waited = lab.lib.GetQueuedCompletionStatus(target, *outputs, 0)
        errors.append(0 if waited else lab.last_error())
        posted = lab.lib.PostQueuedCompletionStatus(target, 0, 0, 0)
        errors.append(0 if posted else lab.last_error())
    lab.must("iocp-dead-port-handle-6", expected=[6] * 8, observed=errors)
    empty = lab.lib.WaitForSingleObject(lab.pointer_of(port), 0)
    port.post()
    lab.must(
        "iocp-port-is-waitable",
        expected=[258, 0],
        observed=[empty, lab.lib.WaitForSingleObject(lab.pointer_of(port), 0)],
    )
    made = lab.lib.CreateIoCompletionPort(lab.pointer_of(-1), lab.pointer_of(port), 0, 0)
    lab.must(
        "iocp-no-file-with-existing-port-87",
        expected=[True, 87],
        observed=[made == lab.NULL, lab.last_error()],
    )
    lab.packet(port)
    twin = port.duplicate()
    port.close()
    twin.post(1, 2, 3)
    lab.must("iocp-port-duplicate", expected=[1, 2, 3], observed=lab.packet(twin)[:3])


CASE = Case(
    variants=(port_handles,),
    claims=(
        Claim(
            "iocp-dead-port-handle-6",
            "Waiting on or posting to a handle that is no port fails with 6.",
            "observed",
        ),
        Claim("iocp-port-is-waitable", "A port is signalled while it holds a packet.", "observed"),
        Claim(
            "iocp-no-file-with-existing-port-87",
            "CreateIoCompletionPort without a file but with an existing port fails with 87.",
            "Microsoft: CreateIoCompletionPort",
        ),
        Claim(
            "iocp-port-duplicate",
            "A duplicate of a port's handle works after the original was closed.",
            "Microsoft: DuplicateHandle",
        ),
    ),
    needs=("iocp",),
)
