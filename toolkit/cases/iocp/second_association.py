"""A file is bound to one port, for ever.

What it does        Binds a pipe's end to a port, and then again: the same port, another key, another port, after
                    the first port was closed, through a duplicate.
Why it bites        A second event loop that gets a socket of the first one, or a socket whose number was reused
                    after a collection, fails with 87, which says nothing of the reason.
What you will see   87 each time; packets keep the first key.
References          Microsoft: CreateIoCompletionPort; python/cpython#122240, #94337, #91845; awslabs/aws-c-io#294;
                    dotnet/runtime#48637
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def second_association(lab: "WindowsLab") -> None:
    """Five second times."""
    first, other = lab.port(), lab.port()
    server, client = lab.pipe()
    first.associate(server, 1)
    twin = server.duplicate()
    errors = [
        lab.error_of(first.associate, server, 1),
        lab.error_of(first.associate, server, 2),
        lab.error_of(other.associate, server, 1),
        lab.error_of(other.associate, twin, 1),
    ]
    lab.must("iocp-second-association-87", expected=[87] * 4, observed=errors)
    server.read(lab.operation(4))
    lab.fill(client, b"data")
    lab.must("iocp-first-key-stays", expected=1, observed=lab.packet(first).key)
    twin.read(lab.operation(4))
    lab.fill(client, b"data")
    lab.must("iocp-duplicate-reports-with-originals-key", expected=1, observed=lab.packet(first).key)
    first.close()
    lab.must(
        "iocp-second-association-87",
        expected=87,
        observed=lab.error_of(other.associate, server, 1),
        reason="after the port was closed",
    )


CASE = Case(
    variants=(second_association,),
    claims=(
        Claim(
            "iocp-second-association-87",
            "A bound file cannot be bound again: 87, also through a duplicate and after the port is gone.",
            "Microsoft: CreateIoCompletionPort",
        ),
        Claim("iocp-first-key-stays", "A failed second association does not change the key.", "observed"),
        Claim(
            "iocp-duplicate-reports-with-originals-key",
            "An operation through a duplicate handle reports to the port with the key of the original.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
