"""A file that grows after its end was read can be read on; one that shrank ends earlier.

What it does        Reads to the end, appends, reads again; truncates and reads where data was.
Why it bites        A log reader waits for more after the end. Nothing about the handle remembers that the end was
                    reached.
What you will see   The new bytes come from the old offset; after the truncation the same offset is the end.
References          Microsoft: ReadFile
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def file_changes_size(lab: "WindowsLab") -> None:
    """End, more, less."""
    port = lab.port()
    path = lab.path(b"old")
    file = lab.open(path)
    port.associate(file, 1)

    def read(offset: int) -> object:
        operation = lab.operation(16, offset=offset)
        started = lab.started(file.read, operation)
        if isinstance(started, int):
            return started
        packet = lab.packet(port)
        return packet.error or operation.data(packet.bytes).decode()

    first = read(3)
    with path.open("ab") as more:
        more.write(b"new")
    second = read(3)
    with path.open("r+b") as less:
        less.truncate(2)
    lab.must("iocp-file-end-moves", expected=[38, "new", 38], observed=[first, second, read(3)])


CASE = Case(
    variants=(file_changes_size,),
    claims=(
        Claim(
            "iocp-file-end-moves", "The end of a file is where it is at the moment of the read.", "observed"
        ),
    ),
    needs=("iocp",),
)
