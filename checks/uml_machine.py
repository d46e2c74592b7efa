"""Debian's user-mode kernel (package user-mode-linux) as a machine that runs one shell script.

Its root is this machine's own file system, so whatever interpreter runs here is there as well; /tmp is its own.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

KERNEL = "linux.uml"
INIT = Path(__file__).with_name("uml_init.sh")
MEMORY = "512M"
GUEST_OWN = "/tmp"  # noqa: S108  where the guest has memory of its own instead of our files


@dataclass(frozen=True)
class Ended:
    """How the script ended: its exit status (None when the machine did not get that far), and what it printed."""

    status: int | None
    console: str
    boot_log: str


def installed() -> bool:
    """Whether the user-mode kernel is here."""
    return shutil.which(KERNEL) is not None


def run(script: str, results: Path, within_s: float, needs: tuple[Path, ...] = ()) -> Ended:
    """Boots, runs `script` with /bin/sh, powers off.

    Args:
        script: shell commands; they may write to `results`.
        results: a folder that the guest shares.
        within_s: after that many seconds the machine is ended.
        needs: folders of this machine that the script uses; those below /tmp are shared, the others always are.
    """
    (results / "init.sh").write_text(INIT.read_text())
    (results / "init.sh").chmod(0o755)
    (results / "script.sh").write_text(script)
    below_tmp = {
        str(path.resolve().relative_to(GUEST_OWN)) for path in (*needs, results) if _is_below_tmp(path)
    }
    with tempfile.TemporaryDirectory(prefix="uml-") as state:
        command = [
            KERNEL,
            f"mem={MEMORY}",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rw",
            f"init={results / 'init.sh'}",
            f"OUT={results}",
            f"CMD={results / 'script.sh'}",
            f"BIND={','.join(sorted(below_tmp))}",
            f"uml_dir={state}/",
            "con0=null,fd:2",
            "con=null",
        ]
        boot_log = _run_bounded(command, within_s)
    status = results / "status"
    console = results / "console"
    return Ended(
        int(status.read_text()) if status.exists() else None,
        console.read_text(errors="replace") if console.exists() else "",
        boot_log,
    )


def _is_below_tmp(path: Path) -> bool:
    return path.resolve().is_relative_to(GUEST_OWN)


def _run_bounded(command: list[str], within_s: float) -> str:
    """The kernel's own messages; ends it and its helpers at the deadline."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as machine:
        try:
            output, _ = machine.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            os.killpg(machine.pid, signal.SIGKILL)
            output, _ = machine.communicate()
    return output.decode(errors="replace")
