"""`make mutants`: proves that checks can fail, by breaking one promise of the kernel at a time.

Each mutant of table.py runs its named killers, and one case that has nothing to do with it, through the installed
command with the interposer preloaded. Killed means that every named check is `fail` (or the named case `timeout`) and
the unrelated case still passes; `error` does not count. Exit 1 when a mutant lives.

    python bench.py [NAME...]          these mutants only
    python bench.py --discover NAME    every check that notices this one, over the whole catalogue
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from table import MUTANTS, Mutant

HERE = Path(__file__).resolve().parent
CASE_DEADLINE = "6s"
RUN_DEADLINE_S = 120
AT_ONCE = 2


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: the killers that noticed, those that did not, and whether the control passed."""

    mutant: Mutant
    noticed: tuple[str, ...]
    missed: tuple[str, ...]
    control: str

    @property
    def killed(self) -> bool:
        return bool(self.noticed) and not self.missed and self.control == "pass"


def build(folder: Path) -> Path:
    """Compiles the interposer; a warning fails."""
    library = folder / "interposer.so"
    sources = [str(path) for path in sorted(HERE.glob("*.c"))]
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-ldl"]
    subprocess.run([os.environ.get("CC", "cc"), *sources, "-o", str(library), *flags], check=True)
    return library


def names_in_c() -> set[str]:
    """Every mutant that the C code knows."""
    text = "".join(path.read_text() for path in HERE.glob("*.c"))
    return set(re.findall(r'mutant\("([a-z0-9-]+)"\)', text))


def observe(library: Path, name: str, case_ids: list[str]) -> dict[str, str]:
    """What each check (`case#claim`) and each case said while the mutant was in: the worst of its variants."""
    environment = {**os.environ, "LD_PRELOAD": str(library), "EVKIT_MUTANT": name}
    command = [sys.executable, "-m", "toolkit", "case", "run", *case_ids]
    run = subprocess.run(
        [*command, "--format", "jsonl", "--timeout", CASE_DEADLINE],
        env=environment,
        cwd=library.parent,
        capture_output=True,
        text=True,
        timeout=RUN_DEADLINE_S,
        check=False,
    )
    seen: dict[str, str] = {}
    for record in map(json.loads, run.stdout.splitlines()):
        if record["type"] == "case":
            timed_out = any(variant["status"] == "timeout" for variant in record["variants"])
            seen[record["id"]] = "timeout" if timed_out else record["status"]
            for check in record["checks"]:
                subject = f"{record['id']}#{check['claim']}"
                seen[subject] = "fail" if "fail" in (seen.get(subject), check["status"]) else check["status"]
    if not seen:
        raise RuntimeError(f"{name}: evkit reported nothing: {run.stderr}")
    return seen


def judge(library: Path, mutant: Mutant) -> Verdict:
    """Runs one mutant."""
    ids = dict.fromkeys([*(killer.partition("#")[0] for killer in mutant.killers), mutant.control])
    seen = observe(library, mutant.name, list(ids))
    hit = {killer: seen.get(killer) in ("fail", "timeout") for killer in mutant.killers}
    return Verdict(
        mutant,
        tuple(killer for killer, noticed in hit.items() if noticed),
        tuple(killer for killer, noticed in hit.items() if not noticed),
        seen.get(mutant.control, "missing"),
    )


def discover(library: Path, name: str) -> None:
    """Prints everything that notices the mutant."""
    for subject, status in observe(library, name, []).items():
        if status == "timeout" or (status == "fail" and "#" in subject):
            print(f"{subject}  {status}")


def main(arguments: list[str]) -> int:
    """Runs the bench and returns the exit status."""
    known = {mutant.name: mutant for mutant in MUTANTS}
    if forgotten := names_in_c() ^ set(known):
        print(f"only in C or only in table.py: {', '.join(sorted(forgotten))}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        library = build(Path(folder))
        if arguments[:1] == ["--discover"]:
            for name in arguments[1:]:
                discover(library, name)
            return 0
        if unknown := [name for name in arguments if name not in known]:
            print(f"no such mutant: {', '.join(unknown)}", file=sys.stderr)
            return 2
        chosen = [known[name] for name in arguments] or list(MUTANTS)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            verdicts = list(pool.map(lambda mutant: _shown(judge(library, mutant)), chosen))
    killed = sum(verdict.killed for verdict in verdicts)
    print(f"{killed} passed, {len(verdicts) - killed} failed")
    return 0 if killed == len(verdicts) else 1


def _shown(verdict: Verdict) -> Verdict:
    mutant = verdict.mutant
    if verdict.killed:
        print(f"killed  {mutant.name:<30} {mutant.breaks}; {', '.join(verdict.noticed)}", flush=True)
    else:
        missed = ", ".join(verdict.missed)
        print(f"LIVES   {mutant.name:<30} not noticed by {missed}; control: {verdict.control}", flush=True)
    return verdict


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
