"""Where the Linux stories are told: a case's tools, without a case around them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def workbench() -> Iterator[Lab]:
    """A lab with a folder of its own; children are ended and the folder is removed afterwards."""
    with TemporaryDirectory(prefix="evkit-demo-") as folder:
        lab = Lab(_NothingToReport(), frozenset(), None, "demo", Path(folder))
        try:
            yield lab
        finally:
            lab.end_children()


def outcome(call: Callable[[], object]) -> str:
    """What a call answers: its result, or the error's name."""
    try:
        return str(call())
    except OSError as error:
        return errno_name(error.errno or 0)
