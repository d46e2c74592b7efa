"""cdefs/windows against mingw-w64's headers, and the committed module against cdefs/windows."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

CDEFS = Path(__file__).resolve().parents[2] / "cdefs"
COMPILER = shutil.which("x86_64-w64-mingw32-gcc")

needs_mingw = pytest.mark.skipif(
    COMPILER is None, reason="needs x86_64-w64-mingw32-gcc (gcc-mingw-w64-x86-64)"
)
pytestmark = [pytest.mark.once, pytest.mark.skipif(not CDEFS.is_dir(), reason="needs the checkout's cdefs/")]


def script(name: str) -> ModuleType:
    sys.path.insert(0, str(CDEFS))
    try:
        spec = importlib.util.spec_from_file_location(f"cdefs_{name}", CDEFS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(CDEFS))


def compile_checks(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Lets the compiler judge the declarations in `text`."""
    asserts = list(script("declarations").static_asserts(text))
    source = folder / "checks.c"
    source.write_text('#include "preamble.h"\n' + "\n".join(asserts))
    assert COMPILER is not None
    return subprocess.run(
        [COMPILER, "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", f"-I{CDEFS / 'windows'}", str(source)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@needs_mingw
def test_every_declaration_agrees_with_the_compilers_headers(tmp_path: Path) -> None:
    text = script("declarations").read_headers(CDEFS / "windows")
    result = compile_checks(text, tmp_path)
    assert result.returncode == 0, result.stderr


@needs_mingw
@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("#define ERROR_HANDLE_EOF 38", "#define ERROR_HANDLE_EOF 39", "ERROR_HANDLE_EOF is not 39"),
        ("DWORD dwNumberOfBytesTransferred;", "ULONG_PTR dwNumberOfBytesTransferred;", "OVERLAPPED_ENTRY.dwNumber"),
        ("DWORD Offset;\n    DWORD OffsetHigh;", "DWORD OffsetHigh;\n    DWORD Offset;", "offset of OVERLAPPED.Offset"),
        ("    HANDLE hEvent;\n} OVERLAPPED;", "} OVERLAPPED;", "size of OVERLAPPED"),
        ("ULONG_PTR key, DWORD concurrency)", "DWORD key, DWORD concurrency)", "prototype of CreateIoCompletionPort"),
        ("BOOL CancelIo(", "DWORD CancelIo(", "prototype of CancelIo differs"),
        ("typedef unsigned long DWORD;", "typedef unsigned short DWORD;", "type DWORD differs"),
        ("DISCONNECTEX)(SOCKET, OVERLAPPED *, DWORD,", "DISCONNECTEX)(SOCKET, OVERLAPPED *,", "LPFN_DISCONNECTEX"),
        ("CompletionPortInformation = 7", "CompletionPortInformation = 8", "is not 8"),
        ("#define IOCTL_AFD_POLL 0x00012024", "#define IOCTL_AFD_POLL 0x00012020", "IOCTL_AFD_POLL is not"),
        ("#define AFD_POLL_SEND 0x4", "#define AFD_POLL_SEND 0x8", "AFD_POLL_SEND is not 0x8"),
        ("ULONG Exclusive;", "BOOLEAN Exclusive;", "AFD_POLL_INFO.Exclusive differs"),
        ("ULONG Events;\n    long Status;", "long Status;\n    ULONG Events;", "offset of AFD_POLL_HANDLE_INFO.Events"),
        ("Handles[1];", "Handles[2];", "size of AFD_POLL_INFO"),
    ],
)  # fmt: skip
def test_a_planted_error_is_caught(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    text = script("declarations").read_headers(CDEFS / "windows")
    assert text.count(right) == 1
    result = compile_checks(text.replace(right, wrong), tmp_path)
    assert result.returncode != 0
    assert complaint in result.stderr


def test_a_declaration_that_cannot_be_checked_is_refused() -> None:
    declarations = script("declarations")
    with pytest.raises(declarations.UnrecognisedError):
        list(declarations.static_asserts("extern int surprising[3];"))


def test_the_committed_module_is_what_the_headers_give() -> None:
    generator = script("generate_windows")
    assert generator.COMMITTED.read_text() == generator.generate()


def test_drift_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    generator = script("generate_windows")
    stale = tmp_path / "_windows.py"
    stale.write_text(generator.generate().replace("FFI(", "FFI ("))
    monkeypatch.setattr(generator, "COMMITTED", stale)
    assert generator.main(["--check"]) == 1
    assert "python cdefs/generate_windows.py" in capsys.readouterr().err
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has the bindings")
def test_elsewhere_the_bindings_say_what_to_use_instead() -> None:
    from toolkit.ffi.errors import PlatformLacksError

    with pytest.raises(PlatformLacksError, match=r"I/O completion ports are a Windows primitive.*Wine"):
        importlib.import_module("toolkit.ffi.windows")
