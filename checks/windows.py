"""The Windows test-suite: builds the wheel here, installs it for a Windows CPython, and runs the tests with it.

    EVKIT_WINDOWS_PYTHON=/path/to/python.exe python checks/windows.py [PYTEST OPTIONS]

On Linux that python.exe runs under Wine, in the prefix $WINEPREFIX (.wine/prefix without it). Any CPython for Windows
will do, such as one unpacked from NuGet's `python` package; it needs no pip: the packages are chosen and unpacked from
here. $EVKIT_WINDOWS_REPORT names a file for JUnit XML. Ends with pytest's status, or 2 and what is missing.

Wine's ways, all met here: a Windows CPython does not start when a standard stream is a regular file, so each is a pipe;
the wineserver is started first, with none of our pipes, or its services would hold them open for ever.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "windows"
# From 4.18 on jsonschema needs rpds-py, whose DLL wants bcryptprimitives.dll: not in Wine 8.0 (look again 2027-06-01).
PACKAGES = ("pytest>=8", "pytest-timeout>=2.3", "jsonschema>=4.17,<4.18")
TIME_LIMIT_S = 1800
_NOTHING = subprocess.DEVNULL


class MissingError(Exception):
    """What the run needs and this machine lacks."""


class Wine:
    """Runs the Windows CPython, directly on Windows and under Wine elsewhere."""

    def __init__(self, python: Path, site: Path) -> None:
        self._command = [str(python)]
        self._environment = dict(os.environ, PYTHONUTF8="1", PYTHONPATH=self.path(site))
        for name in ("PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"):
            self._environment.pop(name, None)
        if sys.platform != "win32":
            if shutil.which("wine") is None:
                raise MissingError("wine is not installed; on Debian: apt-get install wine wine64")
            self._command.insert(0, "wine")
            self._boot()

    @staticmethod
    def path(path: Path) -> str:
        """A path as the Windows CPython writes it."""
        return str(path) if sys.platform == "win32" else "Z:" + str(path).replace("/", "\\")

    def _boot(self) -> None:
        prefix = Path(os.environ.get("WINEPREFIX", ROOT / ".wine" / "prefix")).resolve()
        prefix.mkdir(parents=True, exist_ok=True)
        # No crash window, no offer to install .NET or HTML; nothing on stderr that is Wine's own.
        quiet = {
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml,winedbg.exe=d;winemenubuilder.exe=d",
        }
        self._environment |= {"WINEPREFIX": str(prefix), **quiet}
        self._environment.pop("DISPLAY", None)
        servers = ("/usr/lib/wine/wineserver64", "/usr/lib/wine/wineserver", shutil.which("wineserver") or "")
        server = next((path for path in servers if path and Path(path).exists()), None)
        if server is None:
            raise MissingError("wineserver is not installed; on Debian: apt-get install wine wine64")
        for command in (
            [server, "-p"],
            ["wineboot", "-i"],
        ):  # -p: stays; its status 2 says that it runs already
            subprocess.run(
                command,
                env=self._environment,
                stdin=_NOTHING,
                stdout=_NOTHING,
                stderr=_NOTHING,
                start_new_session=True,
                timeout=300,
                check=False,
            )

    def run(self, *arguments: str, folder: Path, timeout_s: float = TIME_LIMIT_S) -> int:
        """The status of `python.exe ARGUMENTS`; its output is passed on as it comes."""
        with self._started(arguments, folder) as child:
            assert child.stdout is not None
            pump = threading.Thread(target=_pass_on, args=(child.stdout,), daemon=True)
            pump.start()
            status = child.wait(timeout_s)
            pump.join(10)
            return status

    def ask(self, code: str, folder: Path) -> str:
        """What `python.exe -c CODE` prints."""
        with self._started(("-c", code), folder) as child:
            output, _ = child.communicate(timeout=300)
        if child.returncode:
            raise MissingError(
                f"{self._command[-1]} does not run: status {child.returncode}, {output.decode()[-300:]}"
            )
        return output.decode().strip()

    @contextmanager
    def _started(self, arguments: tuple[str, ...], folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
        child = subprocess.Popen(
            [*self._command, *arguments],
            cwd=folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=sys.platform != "win32",
        )
        try:
            yield child
        finally:
            if child.poll() is None:
                _end(child)


def _end(child: "subprocess.Popen[bytes]") -> None:
    if sys.platform == "win32":
        child.kill()
    else:
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _pass_on(source: IO[bytes]) -> None:
    while piece := os.read(source.fileno(), 65536):
        sys.stdout.buffer.write(piece.replace(b"\r\n", b"\n"))
        sys.stdout.flush()


def install(site: Path, version: str) -> None:
    """Builds the wheel and unpacks it into `site`, with what it and the tests need, for CPython `version`."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    with tempfile.TemporaryDirectory() as wheels:
        environment = os.environ | {"EVKIT_TARGET": "win_amd64"}
        subprocess.run([*pip, "wheel", "--no-deps", "-w", wheels, str(ROOT)], env=environment, check=True)
        [wheel] = Path(wheels).glob("evkit-*-py3-none-win_amd64.whl")
        tag = "cp" + version.replace(".", "")
        platform = ["--platform", "win_amd64", "--python-version", version, "--implementation", "cp"]
        abis = ["--abi", tag, "--abi", "abi3", "--abi", "none", "--only-binary=:all:"]
        subprocess.run(
            [*pip, "install", "--target", str(site), *platform, *abis, str(wheel), *PACKAGES], check=True
        )


def main(options: list[str]) -> int:
    """pytest's status."""
    given = os.environ.get("EVKIT_WINDOWS_PYTHON")
    if not given:
        raise MissingError("EVKIT_WINDOWS_PYTHON is not set: give the path of a Windows CPython's python.exe")
    python = Path(given).resolve()
    if not python.is_file():
        raise MissingError(f"EVKIT_WINDOWS_PYTHON={given}: no such file")
    with tempfile.TemporaryDirectory(prefix="evkit-windows-") as scratch:
        site, folder = Path(scratch, "site"), Path(scratch, "empty")
        folder.mkdir()
        wine = Wine(python, site)
        version = wine.ask("import sys; print(*sys.version_info[:2], sep='.')", folder)
        install(site, version)
        where = wine.ask("import toolkit.ffi.windows; print(toolkit.__file__)", folder)
        print(f"CPython {version} for Windows, evkit from {where}", flush=True)
        report = os.environ.get("EVKIT_WINDOWS_REPORT")
        arguments = ["-m", "pytest", "-c", wine.path(ROOT / "pyproject.toml"), "--rootdir", wine.path(ROOT)]
        arguments += ["--confcutdir", wine.path(TESTS), "-p", "no:cacheprovider"]
        # A test past its limit ends the whole run there (Windows has no SIGALRM), and starting a process costs more.
        arguments += ["-o", "timeout=600"]
        arguments += [f"--junitxml={wine.path(Path(report).resolve())}"] if report else []
        names_files = any(".py" in option for option in options)
        chosen = [] if names_files else [wine.path(TESTS)]
        return wine.run(*arguments, *options, *chosen, folder=folder)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except MissingError as error:
        print(f"checks/windows.py: {error}", file=sys.stderr)
        sys.exit(2)
    except subprocess.TimeoutExpired:
        print(f"checks/windows.py: not done within {TIME_LIMIT_S} s", file=sys.stderr)
        sys.exit(124)
