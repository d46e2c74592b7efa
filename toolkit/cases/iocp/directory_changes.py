"""Directory changes come as packets; an empty one says that too much happened.

What it does        Watches a directory: creates, renames, and lets more happen than the buffer holds; opens a
                    directory without the flag it needs.
Why it bites        Success with 0 bytes is no quiet period: changes were lost, and the directory must be looked
                    through.
What you will see   Added; renamed, old name and new; 0 bytes after an overflow; 5 without
                    FILE_FLAG_BACKUP_SEMANTICS.
References          Microsoft: ReadDirectoryChangesW
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def directory_changes(lab: "WindowsLab") -> None:
    """Create, rename, overflow, refusal."""
    port = lab.port()
    directory = lab.directory()
    port.associate(directory, 1)
    operation = lab.operation(4096)
    (lab.tmp_path / "before").touch()

    def seen(wanted: set[tuple[str, str]]) -> bool:
        left = set(wanted)
        while left:
            lab.watch(directory, operation)
            found = lab.changes(operation.data(lab.packet(port).bytes))
            left -= {(change.action.name, change.name) for change in found or []}
        return True

    lab.watch(directory, operation)
    (lab.tmp_path / "new").touch()
    first = lab.changes(operation.data(lab.packet(port).bytes)) or []
    added = ("ADDED", "new") in {(change.action.name, change.name) for change in first}
    lab.must("iocp-directory-change-added", expected=True, observed=added or seen({("ADDED", "new")}))
    (lab.tmp_path / "new").rename(lab.tmp_path / "newer")
    lab.must(
        "iocp-directory-change-renamed",
        expected=True,
        observed=seen({("RENAMED_FROM", "new"), ("RENAMED_TO", "newer")}),
    )
    for number in range(400):
        (lab.tmp_path / f"a file with a long name that fills the buffer, number {number}").touch()
    counts: list[int] = []
    while not counts or counts[-1]:
        lab.watch(directory, operation)
        counts.append(lab.packet(port).bytes)
    lab.must("iocp-directory-overflow-zero-bytes", expected=0, observed=counts[-1])
    lab.must(
        "iocp-directory-without-backup-semantics-5", expected=5, observed=lab.error_of(lab.open, lab.tmp_path)
    )


CASE = Case(
    variants=(directory_changes,),
    claims=(
        Claim(
            "iocp-directory-change-added",
            "A new file is reported as added, with its name.",
            "Microsoft: ReadDirectoryChangesW",
        ),
        Claim(
            "iocp-directory-change-renamed",
            "A rename is reported with the old and the new name.",
            "Microsoft: ReadDirectoryChangesW",
        ),
        Claim(
            "iocp-directory-overflow-zero-bytes",
            "When more happens than the buffer holds the operation succeeds with 0 bytes.",
            "Microsoft: ReadDirectoryChangesW",
        ),
        Claim(
            "iocp-directory-without-backup-semantics-5",
            "A directory cannot be opened without FILE_FLAG_BACKUP_SEMANTICS: 5.",
            "Microsoft: CreateFile",
        ),
    ),
    needs=("iocp",),
)
