"""`make kernels`: the catalogue inside Debian's user-mode kernel (6.1), beside the same on this kernel.

Prints the table of differences; `kernels.py FOLDER` keeps both runs there. Fails when the guest differs from
toolkit/known/uml-6.1.txt in either direction. Where the user-mode kernel is not installed it says so and does nothing.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import uml_machine

KNOWN = "uml-6.1"
DIFFERENT = 1  # what `evkit case diff` ends with when two runs differ
BOOT_S = 60
CATALOGUE_S = 900
TIME_SCALE = 5
"""A fork takes 26 ms in there, and a clock read 24 us."""


def main(arguments: list[str]) -> int:
    """Runs both sides, in a folder that is kept when one is given, and returns the exit status."""
    if not uml_machine.installed():
        print(f"skipped: {uml_machine.KERNEL} is not installed (Debian: apt-get install user-mode-linux)")
        return 0
    with tempfile.TemporaryDirectory(prefix="kernels-") as temporary:
        results = Path(arguments[0] if arguments else temporary).resolve()
        results.mkdir(parents=True, exist_ok=True)
        return _compare(results)


def _compare(results: Path) -> int:
    started = time.monotonic()
    guest = uml_machine.run(
        _script(results), results, BOOT_S + CATALOGUE_S, (Path(sys.prefix), Path(_package()))
    )
    took = time.monotonic() - started
    print(guest.console.strip())
    if guest.status is None or not (results / "guest.jsonl").exists():
        print(f"the guest did not finish:\n{guest.boot_log[-2000:]}", file=sys.stderr)
        return 1
    run = [_evkit(), "case", "run", "--format", "jsonl", "-o", str(results / "host.jsonl")]
    host_status = subprocess.run(run, check=False).returncode
    print(f"guest: boot and catalogue in {took:.0f} s; differences from this kernel:", flush=True)
    difference = [_evkit(), "case", "diff", str(results / "host.jsonl"), str(results / "guest.jsonl")]
    compared = subprocess.run(difference, check=False).returncode
    for line in _not_as_listed(results / "guest.jsonl"):
        print(line)
    print(
        f"this kernel: exit {host_status}; guest against its list of known differences ({KNOWN}): exit {guest.status}"
    )
    return guest.status or host_status or (compared if compared not in (0, DIFFERENT) else 0)


def _not_as_listed(run: Path) -> Iterator[str]:
    """Below the long table, where a reader of the last lines finds it: what the guest is failed for."""
    records = [json.loads(line) for line in run.read_text().splitlines()]
    for case in (record for record in records if record["type"] == "case"):
        for difference in case["known"]["differences"]:
            yield f"not as listed: {difference}"
            for part in (*case["variants"], *case["checks"]):
                if part["status"] not in ("pass", "skip"):
                    yield f"  {json.dumps(part)}"


def _evkit() -> str:
    """The installed command: `python -m toolkit` in a checkout would take its toolkit/, where nothing is built."""
    return str(Path(sys.executable).with_name("evkit"))


def _package() -> str:
    import toolkit

    return str(Path(toolkit.__file__).parent.parent)


def _script(results: Path) -> str:
    """What the guest runs. Its verdict is the exit status of `case run --known`."""
    run = " ".join([_evkit(), "case", "run", "--known", KNOWN, "--timeout", "60s", "--format", "jsonl"])
    return f"""uname -sr
cd /
export EVKIT_TIME_SCALE={TIME_SCALE} EVKIT_MAY_CHANGE_SYSCTLS=1 PYTHONPATH={_package()}
{run} -o {results}/guest.jsonl
"""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
