"""Writes toolkit/ffi/_windows.py, the ABI-mode bindings: ``python cdefs/generate_windows.py [--check]``.

The module is committed, so that nobody on Windows needs a compiler. `--check` writes nothing and fails when the
committed module is not what the headers give.
"""

import sys
import tempfile
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from declarations import read_headers  # noqa: E402  its folder is on the path only now

COMMITTED = HERE.parent / "toolkit" / "ffi" / "_windows.py"


def generate(folder: Path = HERE / "windows") -> str:
    """The text of the module for the headers of `folder`. The same on every system."""
    builder = FFI()
    builder.cdef(read_headers(folder))
    builder.set_source("toolkit.ffi._windows", None)
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "_windows.py"
        builder.emit_python_code(str(target))
        return target.read_text()


def main(arguments: list[str]) -> int:
    """0 when written or up to date, 1 when it drifted."""
    text = generate()
    if arguments != ["--check"]:
        COMMITTED.write_text(text, newline="\n")
        return 0
    if COMMITTED.exists() and COMMITTED.read_text() == text:
        return 0
    sys.stderr.write(f"{COMMITTED} differs from cdefs/windows: run python cdefs/generate_windows.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
