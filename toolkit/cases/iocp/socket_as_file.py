"""A socket is a file to overlapped calls, whatever setblocking says.

What it does        Reads and writes a socket with ReadFile and WriteFile, and receives on one that was set to non-
                    blocking.
Why it bites        Non-blocking mode is for recv() and send(); an overlapped call on such a socket still pends,
                    where code expects 10035.
What you will see   The bytes go through both kinds of call; the receive is pending and ends with the data.
References          Microsoft: Socket Handles, WSARecv
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def socket_as_file(lab: "WindowsLab") -> None:
    """ReadFile, WriteFile, non-blocking."""
    port = lab.port()
    ours, theirs = lab.sockets()
    port.associate(ours, 1)
    write = lab.operation(data=b"by file")
    ours.write(write)
    lab.must(
        "iocp-socket-writefile",
        expected=[7, b"by file"],
        observed=[lab.packet(port).bytes, theirs.plain.recv(16)],
    )
    read = lab.operation(16)
    ours.read(read)
    theirs.plain.sendall(b"back")
    lab.must("iocp-socket-readfile", expected=b"back", observed=read.data(lab.packet(port).bytes))
    ours.plain.setblocking(False)
    started = lab.started(ours.receive, read)
    theirs.plain.sendall(b"late")
    lab.must(
        "iocp-nonblocking-socket-still-pends",
        expected=["PENDING", b"late"],
        observed=[started, read.data(lab.packet(port).bytes)],
    )


CASE = Case(
    variants=(socket_as_file,),
    claims=(
        Claim("iocp-socket-writefile", "WriteFile writes to a socket.", "Microsoft: Socket Handles"),
        Claim("iocp-socket-readfile", "ReadFile reads from a socket.", "Microsoft: Socket Handles"),
        Claim(
            "iocp-nonblocking-socket-still-pends",
            "An overlapped receive on a non-blocking socket without data is pending.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
