"""A call that fails at once queues no packet: whoever waits for one waits for ever.

What it does        Makes calls that fail in the call: a NULL buffer, no OVERLAPPED, a read-only handle, a pipe
                    without its other end.
Why it bites        The result of the call decides whether a packet comes. A loop that counts every call as
                    outstanding never gets to 0 again.
What you will see   naive: the wait for the packet runs to its timeout. right: the error is there at once, and the
                    port stays empty.
References          Microsoft: ReadFile, WriteFile, I/O Completion Ports
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def naive(lab: "WindowsLab") -> None:
    """Counts the call, ignores its result, and waits."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    client.close()
    outstanding = 1
    lab.error_of(server.read, lab.operation(16))
    for _ in range(3):
        outstanding -= port.wait(50) is not None
    lab.must("iocp-failure-at-once-awaited-for-ever", expected=1, observed=outstanding)


def right(lab: "WindowsLab") -> None:
    """Looks at each result."""
    port = lab.port()
    file, reader = lab.file(b"content"), lab.open(lab.path(b"content"))
    server, client = lab.pipe()
    for handle in (file, reader, server):
        port.associate(handle, 1)
    client.close()
    place = lab.kept(lab.ffi.new("OVERLAPPED *"))
    done = lab.lib.ReadFile(lab.pointer_of(file), lab.NULL, 8, lab.NULL, place)
    errors = [0 if done or lab.last_error() == 997 else lab.last_error()]
    buffer = lab.ffi.new("char[8]")
    done = lab.lib.ReadFile(lab.pointer_of(file), buffer, 8, lab.NULL, lab.NULL)
    errors.append(0 if done else lab.last_error())
    errors.append(lab.error_of(reader.write, lab.operation(data=b"no")))
    errors.append(lab.error_of(server.read, lab.operation(16)))
    errors.append(lab.error_of(server.write, lab.operation(data=b"no")))
    lab.must("iocp-failure-at-once-errors", expected=[998, 87, 5, 109, 232], observed=errors)
    lab.must("iocp-failure-at-once-no-packet", expected=True, observed=lab.nothing(port))


CASE = Case(
    variants=(
        naive,
        right,
    ),
    claims=(
        Claim(
            "iocp-failure-at-once-awaited-for-ever",
            "Waiting for the packet of a call that failed at once never ends.",
            "observed",
        ),
        Claim(
            "iocp-failure-at-once-errors",
            "NULL buffer: 998; no OVERLAPPED: 87; read-only: 5; a pipe whose other end is gone: 109 or 232.",
            "observed",
        ),
        Claim(
            "iocp-failure-at-once-no-packet",
            "A call that failed at once queues no packet.",
            "Microsoft: I/O Completion Ports",
        ),
    ),
    needs=("iocp",),
)
