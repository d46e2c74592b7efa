"""The mode that skips the handle's event leaves packets alone.

What it does        Sets FILE_SKIP_SET_EVENT_ON_HANDLE and reads from a pipe that holds data.
Why it bites        The two modes are set with one call and mixed up easily; this one only saves the signalling of
                    the file's own handle.
What you will see   The packet comes as before.
References          Microsoft: SetFileCompletionNotificationModes
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def skip_set_event(lab: "WindowsLab") -> None:
    """Mode 2."""
    port = lab.port()
    server, client = lab.pipe()
    port.associate(server, 1)
    lab.lib.SetFileCompletionNotificationModes(lab.pointer_of(server), 2)
    lab.fill(client, b"data")
    server.read(lab.operation(16))
    lab.must("iocp-skip-set-event-keeps-packets", expected=4, observed=lab.packet(port).bytes)


CASE = Case(
    variants=(skip_set_event,),
    claims=(
        Claim(
            "iocp-skip-set-event-keeps-packets",
            "FILE_SKIP_SET_EVENT_ON_HANDLE does not change which packets are queued.",
            "Microsoft: SetFileCompletionNotificationModes",
        ),
    ),
    needs=("iocp",),
)
