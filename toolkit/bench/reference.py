"""The plain C program, built on the spot when a compiler is there."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.bench.contest import Contestant

_SOURCES = [Path(__file__).with_name(name) for name in ("reference.c", "reference_threads.c")]
_DEADLINE_S = 60


@contextmanager
def built() -> Iterator[Path | None]:
    """The built program for the length of a with block; None where there is no compiler ($CC, cc or gcc).

    Raises:
        OSError: the compiler failed; the message ends with its last line.
    """
    compiler = _compiler()
    if compiler is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="evkit-bench-") as folder:
        program = Path(folder) / "reference"
        command = [*compiler, "-O2", "-o", str(program), *map(str, _SOURCES), "-pthread"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DEADLINE_S, check=False)  # noqa: S603  the compiler
        if done.returncode != 0:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise OSError(f"{shlex.join(compiler)} could not build the C reference: {last}")
        yield program


def _compiler() -> list[str] | None:
    """$CC as make(1) takes it, a command with arguments (`ccache gcc`), else cc or gcc."""
    chosen = os.environ.get("CC", "").strip()
    if not chosen:
        found = shutil.which("cc") or shutil.which("gcc")
        return [found] if found else None
    try:
        words = shlex.split(chosen)
    except ValueError as error:
        raise OSError(f"CC={chosen} is no command: {error}") from error
    if shutil.which(words[0]) is None:
        raise OSError(f"CC={chosen} names a compiler that is not here: {words[0]}")
    return words


def output_of(command: list[str], pass_fds: tuple[int, ...] = ()) -> str:
    """What the program writes.

    Raises:
        OSError: it failed (a call that Python's contestants would have raised), or takes for ever.
    """
    try:
        done = subprocess.run(  # noqa: S603  built here
            command, capture_output=True, text=True, timeout=_DEADLINE_S, pass_fds=pass_fds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"the C reference of {command[1]} did not end within {_DEADLINE_S} s") from error
    if done.returncode:
        code = done.returncode
        ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        raise OSError(f"the C reference of {command[1]} {ended}: one of its calls failed, see ulimit -a")
    return done.stdout


def contestant(program: Path, work: str) -> Contestant:
    """`work` in C."""

    def run(ops: int) -> int:
        return int(output_of([str(program), work, str(ops)]))

    return Contestant("c", run)
