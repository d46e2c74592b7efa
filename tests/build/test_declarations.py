"""cffi believes declarations; the build must not. A lie of each kind, planted in a copy of cdefs/, fails it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cdefs/linux needs Linux headers")

Compiled = subprocess.CompletedProcess[str]


class Declarations:
    """A private copy of cdefs/ to plant errors in and build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plant(self, header: str, right: str, wrong: str) -> None:
        path = self.folder / "cdefs" / "linux" / header
        text = path.read_text()
        assert text.count(right) == 1, f"{right!r} must stand once in {header}"
        path.write_text(text.replace(right, wrong))

    def build(self) -> Compiled:
        return subprocess.run(
            [sys.executable, "cdefs/build_ffi.py"],
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C"},  # gcc's messages are read below
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )


@pytest.fixture
def declarations(checkout: Path, tmp_path: Path) -> Declarations:
    shutil.copytree(checkout / "cdefs", tmp_path / "cdefs", ignore=shutil.ignore_patterns("__pycache__"))
    return Declarations(tmp_path)


def errors(built: Compiled) -> list[str]:
    """The compiler's error messages, without their places."""
    return re.findall(r"^[^\n]*_linux\.c:\d+:\d+: error: (.*)$", built.stdout + built.stderr, re.MULTILINE)


def test_declarations_as_they_are_build(declarations: Declarations) -> None:
    built = declarations.build()
    assert built.returncode == 0, built.stderr
    assert list((declarations.folder / "toolkit" / "ffi").glob("_linux.abi3.so"))


WRONG_TYPES = [
    (
        "eventfd.h",
        "evk_eventfd_write(int fd, uint64_t value)",
        "evk_eventfd_write(int fd, uint32_t value)",
        "prototype of evk_eventfd_write differs",
    ),
    (
        "epoll.h",
        "int evk_epoll_create1(int flags)",
        "int evk_epoll_create1(unsigned int flags)",
        "prototype of evk_epoll_create1 differs",
    ),
    ("descriptors.h", "int64_t evk_read", "int evk_read", "prototype of evk_read differs"),
    ("signalfd.h", "uint32_t ssi_pid", "uint64_t ssi_pid", "struct signalfd_siginfo.ssi_pid differs"),
    ("epoll.h", "uint32_t u32", "uint16_t u32", "epoll_data_t.u32 differs"),
    ("epoll.h", "#define EPOLLRDHUP 0x2000", "#define EPOLLRDHUP 0x4000", "EPOLLRDHUP is not 0x4000"),
]


def test_each_wrong_declaration_fails_once_and_says_which(declarations: Declarations) -> None:
    for header, right, wrong, _ in WRONG_TYPES:
        declarations.plant(header, right, wrong)
    built = declarations.build()
    assert built.returncode != 0
    complaints = sorted(f'static assertion failed: "{complaint}"' for *_, complaint in WRONG_TYPES)
    assert sorted(errors(built)) == complaints


def test_one_wrong_declaration_is_enough(declarations: Declarations) -> None:
    declarations.plant("signalfd.h", "uint16_t ssi_addr_lsb;\n    ...;", "uint16_t ssi_addr_lsb;")
    built = declarations.build()
    assert built.returncode != 0
    assert errors(built) == ['static assertion failed: "size of struct signalfd_siginfo"']


MISSPELT = [
    ("eventfd.h", "evk_eventfd(", "evk_evenftd("),
    ("signalfd.h", "ssi_overrun", "ssi_overun"),
    ("epoll.h", "EPOLLRDBAND", "EPOLLRDBANT"),
    ("eventfd.h", "EFD_NONBLOCK", "EFD_NOBLOCK"),
]


def test_each_misspelt_name_fails_and_nothing_else_does(declarations: Declarations) -> None:
    for header, right, wrong in MISSPELT:
        declarations.plant(header, right, wrong)
    built = declarations.build()
    assert built.returncode != 0
    names = [wrong.removesuffix("(") for _, _, wrong in MISSPELT]
    # gcc repeats itself about the assertion whose expression it could not read
    about = [text for text in errors(built) if text != "expression in static assertion is not an integer"]
    assert [name for name in names if not any(name in message for message in about)] == []
    assert [message for message in about if not any(name in message for name in names)] == []


def test_a_pointer_to_another_width_fails(declarations: Declarations) -> None:
    declarations.plant("epoll.h", "const uint64_t *triples", "const uint32_t *triples")
    built = declarations.build()
    assert built.returncode != 0
    assert 'static assertion failed: "prototype of evk_epoll_ctl_many differs"' in errors(built)


UNCHECKABLE = [
    pytest.param("enum { EFD_PLANTED = 1 };", "enum { EFD_PLANTED = 1 }", id="enum"),
    pytest.param("extern int evk_planted;", "extern int evk_planted", id="variable"),
    pytest.param("struct planted { unsigned low : 4; };", "unsigned low : 4", id="bit-field"),
]


@pytest.mark.parametrize(("declaration", "named"), UNCHECKABLE)
def test_a_declaration_that_cannot_be_checked_is_refused(
    declarations: Declarations, declaration: str, named: str
) -> None:
    declarations.plant("eventfd.h", "#define EFD_SEMAPHORE 1\n", f"#define EFD_SEMAPHORE 1\n{declaration}\n")
    built = declarations.build()
    assert built.returncode != 0
    assert "UnrecognisedError" in built.stderr
    assert named in built.stderr


def test_a_constant_that_is_an_expression_is_refused(declarations: Declarations) -> None:
    declarations.plant("eventfd.h", "#define EFD_SEMAPHORE 1", "#define EFD_SEMAPHORE (1 << 0)")
    built = declarations.build()
    assert built.returncode != 0
    assert "EFD_SEMAPHORE" in built.stderr


@pytest.mark.parametrize("macros", [(), ("-DEVK_PLANTED=1",)], ids=["as shipped", "with planted faults"])
def test_our_own_c_compiles_without_a_warning(
    checkout: Path, tmp_path: Path, macros: tuple[str, ...]
) -> None:
    folder = checkout / "cdefs"
    command = [sys.executable, "-c", "import build_ffi; print(*build_ffi.C_SOURCES)"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=110, check=True)
    sources = listed.stdout.split()
    # one unit, as the module compiles them: what one file leaves static the next may use
    unit = tmp_path / "unit.c"
    unit.write_text("".join(f'#include "{name}"\n' for name in ("preamble.h", *sources)))
    flags = ["-std=gnu11", "-O2", "-pthread", "-Wall", "-Wextra", "-Werror", f"-I{folder / 'linux'}", *macros]
    done = subprocess.run(
        ["cc", *flags, "-c", "-o", tmp_path / "unit.o", unit],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr


PROGRAMS = sorted(
    path for path in (Path(__file__).resolve().parents[2] / "toolkit").rglob("*.c") if path.name != "_linux.c"
)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_c_programs_we_compare_with_compile_without_a_warning(path: Path, tmp_path: Path) -> None:
    flags = ["-std=gnu11", "-O2", "-pthread", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run(
        ["cc", *flags, "-c", "-o", tmp_path / "program", path],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
