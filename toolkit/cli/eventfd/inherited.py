"""`--fd N`: an eventfd that somebody else made and passed down, checked before it is used."""

import os
from pathlib import Path
from typing import Annotated

import typer

from toolkit.cli.refusal import refuse
from toolkit.primitives.eventfd import EventFd
from toolkit.watch.inheritance import not_open

VARIABLE = "EVENTFD"
_EVENTFD = Path("anon_inode:[eventfd]")

Fd = Annotated[
    int | None,
    typer.Option("--fd", metavar="N", help=f"The inherited eventfd's number; ${VARIABLE} without it."),
]


def borrowed_eventfd(fd: int | None) -> EventFd:
    """The eventfd with number `fd`, or the one $EVENTFD names. Refuses anything else (status 2).

    It is not ours, yet closing it with this process is what happens to every inherited descriptor.
    """
    origin = f"descriptor {fd}"
    if fd is None:
        word = os.environ.get(VARIABLE)
        if word is None:
            refuse(
                f"no eventfd given: use --fd N, or run inside `evkit eventfd run -- CMD`, which sets ${VARIABLE}"
            )
        if not (word.isascii() and word.isdigit()):
            refuse(f"${VARIABLE} is {word!r}, not a descriptor number")
        fd = int(word)
        origin = f"descriptor {fd} (from ${VARIABLE})"
    try:
        os.fstat(fd)
    except (OSError, OverflowError):  # EBADF, or more than an int
        refuse(not_open(origin))
    if Path(f"/proc/self/fd/{fd}").readlink() != _EVENTFD:
        from toolkit.primitives.fdinfo import kind_of

        refuse(f"{origin} is not an eventfd, it is {_article(kind_of(fd))}")
    return EventFd.adopt(fd)


def _article(kind: str) -> str:
    """`a pipe`, `an eventpoll`, `/dev/null`."""
    if "/" in kind:
        return kind
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
