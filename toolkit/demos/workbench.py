"""Where the Linux stories are told: a case's tools, without a case around them."""

import fcntl
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from toolkit.ffi.errors import errno_name
from toolkit.lab.lab import Lab
from toolkit.records import Check


class _NothingToReport:
    """A story shows and claims nothing: its lab has no claims, so that a check in it is an error."""

    def check(self, check: Check) -> None:
        raise AssertionError(f"a story made a check: {check}")

    def trace(self, line: str) -> None:
        raise AssertionError(f"a story traced past its step: {line}")


_TO_REMOVE_A_FOLDER = 2
"""Descriptors that shutil.rmtree opens: the folder, and its copy for scandir."""

_OUT_OF_THE_WAY = 64
"""A story's own descriptors are numbered from 3, and a reader sees these numbers."""


@contextmanager
def workbench() -> Iterator[Lab]:
    """A lab with a folder of its own; children are ended and the folder is removed afterwards.

    Raises:
        OSError: EMFILE, before there is a folder that could not be removed again.
    """
    with ExitStack() as stack:
        spare = [_spare_descriptor() for _ in range(_TO_REMOVE_A_FOLDER)]
        folder = stack.enter_context(TemporaryDirectory(prefix="evkit-demo-"))
        for fd in spare:
            stack.callback(os.close, fd)
        lab = Lab(_NothingToReport(), frozenset(), None, "demo", Path(folder))
        try:
            yield lab
        finally:
            lab.end_children()


def _spare_descriptor() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = max(min(soft, _OUT_OF_THE_WAY) - _TO_REMOVE_A_FOLDER, 0)
    fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)
    finally:
        os.close(fd)


def outcome(call: Callable[[], object]) -> str:
    """What a call answers: its result, or the error's name."""
    try:
        return str(call())
    except OSError as error:
        return errno_name(error.errno or 0)
