"""Builds the compiled bindings: ``cffi_modules=["cdefs/build_ffi.py:linux"]``.

Run as a script it builds in place, for work on a checkout: ``python cdefs/build_ffi.py``.
"""

import os
import sys
import sysconfig
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from declarations import read_headers, static_asserts  # noqa: E402  its folder is on the path only now

C_SOURCES = (
    "kept.c",
    "shims.c",
    "handlers.c",
    "sockets.c",
    "loops.c",
    "loops_eventfd.c",
    "loops_epoll.c",
    "loops_handoff.c",
    "loops_churn.c",
    "loops_signalfd.c",
)
# Nobody outside calls our functions by name: the wrappers may inline them, and reach Python's without a jump table.
DIRECT_CALLS = ("-fvisibility=hidden", "-fno-plt")
COMPILER_WARNINGS = (
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Wno-address-of-packed-member",  # cffi's own field check of struct epoll_event
)


def linux_builder(folder: Path = HERE / "linux", *, planted: bool = False) -> FFI:
    """The API-mode module `toolkit.ffi._linux`, from the headers and C files of `folder`.

    `planted` builds the hot loops with faults that tests switch on (planted.c).
    """
    text = read_headers(folder)
    builder = FFI()
    builder.cdef(text)
    preamble = "\n".join(
        ['#include "preamble.h"', *(f'#include "{name}"' for name in C_SOURCES), *static_asserts(text)]
    )
    builder.set_source(
        "toolkit.ffi._linux",
        preamble,
        include_dirs=[os.path.relpath(folder)],
        define_macros=[("EVK_PLANTED", "1")] if planted else [],
        depends=[os.path.relpath(path) for path in sorted(folder.iterdir())],
        extra_compile_args=["-O2", "-std=gnu11", "-pthread", *DIRECT_CALLS, *COMPILER_WARNINGS],
        libraries=["rt", "pthread"],  # glibc before 2.34 keeps timer_create and thread-specific data there
        py_limited_api=not sysconfig.get_config_var("Py_GIL_DISABLED"),
    )
    return builder


if __name__ == "__main__":
    linux_builder().compile(tmpdir=str(HERE.parent), verbose=True)
else:
    linux = linux_builder()
