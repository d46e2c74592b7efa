"""`make test`: tox on every interpreter that is installed, and a verdict that a missing run cannot pass.

Prints which interpreters are missing. Fails when one that is installed did not run, ran no test, or installed another
wheel than the rest. Names on the command line select tox environments; what follows `--` goes to pytest.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from interpreters import find

VERSIONS = ((3, 10), (3, 11), (3, 12), (3, 13))
FIRST = ("commands", "once", "sdist", "lint", "types", "docs")  # those that take longest before the rest
LAST = ("alone",)  # tox.ini lets it wait for all others
# more at once than a small machine has processors: tests wait more than they compute
IN_PARALLEL = ["run-parallel", "--parallel-no-spinner", "--parallel", "3"]

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / ".tox" / "report.json"


def main(arguments: list[str]) -> int:
    """Runs what was asked for, everything by default, and returns the exit status."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    chosen, to_pytest = arguments[:split], arguments[split:]
    found = {f"py{major}{minor}": find((major, minor)) for major, minor in VERSIONS}
    present = {name: path for name, path in found.items() if path}
    for name in found:
        print(f"{name}: {found[name] or 'not installed, skipped'}", flush=True)
    if not present:
        print("none of these interpreters is installed", file=sys.stderr)
        return 1
    if unknown := set(chosen) - {*found, *FIRST, *LAST}:
        print(f"no such environment: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    wanted = [name for name in (*FIRST, *present, *LAST) if not chosen or name in chosen]
    if not wanted:
        print(f"nothing to run: {', '.join(chosen)} not installed", file=sys.stderr)
        return 1
    for name in wanted:
        (ROOT / ".tox" / name / "junit.xml").unlink(missing_ok=True)
    return _verdict(wanted, _tox(wanted, present, to_pytest))


def _tox(names: list[str], present: dict[str, str], to_pytest: list[str]) -> dict[str, Any]:
    """What tox reports of each environment it ran, by name."""
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tox", *IN_PARALLEL, "--result-json", str(REPORT)]
    # a found interpreter that tox cannot use must fail, not be skipped
    command += ["--skip-missing-interpreters", "false", "-e", ",".join(names), *to_pytest]
    folders = [os.environ.get("PATH", os.defpath), *(str(Path(python).parent) for python in present.values())]
    # unbuffered: who reads a log while it is written sees each environment when it ends
    env = {**os.environ, "PATH": os.pathsep.join(folders), "PYTHONUNBUFFERED": "1"}
    subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, check=False)
    if not REPORT.exists():
        return {}
    environments = json.loads(REPORT.read_text())["testenvs"]
    return {name: environments[name] for name in names if name in environments}


def _verdict(wanted: list[str], reports: dict[str, Any]) -> int:
    totals = dict.fromkeys(("passed", "failed", "skipped"), 0)
    complaints, wheels = [], set()
    print()
    for name in wanted:
        report = reports.get(name, {})
        result = report.get("result")
        if result is None:
            complaints.append(f"{name} did not run")
            continue
        counted = _counts(name)
        print(
            f"{name}: {'ok' if result['success'] else 'FAILED'}, {result['duration']:.0f} s{_spelt(counted)}"
        )
        if not result["success"]:
            complaints.append(f"{name} failed")
        for key, count in counted.items():
            totals[key] += count
        if name.startswith("py"):
            if not counted.get("passed"):
                complaints.append(f"{name} ran no test")
            wheels.add(report.get("installpkg", {}).get("sha256"))
    if len(wheels) > 1:
        complaints.append("the interpreters did not all install one wheel")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.stderr.flush()
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return 1 if complaints else 0


def _counts(name: str) -> dict[str, int]:
    """Passed, failed and skipped of the environment's JUnit file; empty when it writes none."""
    path = ROOT / ".tox" / name / "junit.xml"
    if not path.exists():
        return {}
    [suite] = ElementTree.parse(path).getroot().iter("testsuite")
    bad = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    skipped = int(suite.attrib["skipped"])
    return {"passed": int(suite.attrib["tests"]) - bad - skipped, "failed": bad, "skipped": skipped}


def _spelt(counted: dict[str, int]) -> str:
    return "".join(f", {count} {key}" for key, count in counted.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
