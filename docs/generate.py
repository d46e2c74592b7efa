"""Writes docs/cases.md and docs/claims.md from the cases, and records what kernels said.

python docs/generate.py                      writes the pages
python docs/generate.py --check              exit 1 when a page is not what the code says
python docs/generate.py --record NAME FILE   keeps the verdicts of a run, the JSON Lines of `evkit case run`, as
                                             docs/results/NAME.tsv
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from toolkit.engine import all_cases
from toolkit.lab.case import Case, Claim

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PRIMITIVES = {
    "epoll": "epoll(7)",
    "eventfd": "eventfd(2)",
    "signalfd": "signalfd(2)",
    "fdinfo": "proc_pid_fdinfo(5)",
    "iocp": "I/O completion ports",
}
NOTICE = "<!-- Written by docs/generate.py from the cases; `make docs` writes it again. -->\n"


def pages() -> dict[str, str]:
    """The text of each page, by file name."""
    cases = all_cases()
    written = {"cases.md": _cases(cases), "claims.md": _claims(cases)}
    return {name: "\n".join(line.rstrip() for line in lines) for name, lines in written.items()}


def _groups(cases: list[Case]) -> Iterator[tuple[str, list[Case]]]:
    names = dict.fromkeys([*PRIMITIVES, *(case.primitive for case in cases)])
    for name in names:
        group = [case for case in cases if case.primitive == name]
        if group:
            yield name, group


def _cases(cases: list[Case]) -> Iterator[str]:
    yield f"# Cases\n\n{NOTICE}"
    yield f"{len(cases)} cases, {sum(len(case.claims) for case in cases)} claims. `evkit case show ID` says the same."
    for name, group in _groups(cases):
        yield f"\n## {PRIMITIVES.get(name, name)}"
        for case in group:
            story = case.story
            yield f"\n### {case.id}\n\n**{story.title}**\n"
            yield f"- *What it does.* {_text(story.does)}"
            yield f"- *Why it bites.* {_text(story.bites)}"
            yield f"- *What you will see.* {_text(story.see)}"
            yield f"- *References.* {_text(story.references)}"
            yield f"- *Claims.* {', '.join(f'`{one}`' for one in sorted(case.claim_ids))}"
    yield ""


def _claims(cases: list[Case]) -> Iterator[str]:
    results = _recorded()
    kernels = list(results)
    yield f"# Claims\n\n{NOTICE}"
    yield "Each statement, where it comes from, the case that proves it, and what the kernels tried said: `pass` is"
    yield "what is documented, `skip` could not be looked at there (the run says why), `-` was not run."
    for name, group in _groups(cases):
        shown = kernels if name != "iocp" else []
        yield f"\n## {PRIMITIVES.get(name, name)}\n"
        yield "| claim | statement | source | case | " + "".join(f"{kernel} | " for kernel in shown)
        yield "| --- | --- | --- | --- | " + "--- | " * len(shown)
        for claim, case in sorted(_defined(group), key=lambda pair: pair[0].id):
            verdicts = "".join(f"{results[kernel].get(claim.id, '-')} | " for kernel in shown)
            since = f" (since {claim.since})" if claim.since else ""
            yield (
                f"| `{claim.id}` | {_cell(claim.text)}{since} | {_cell(claim.source)} "
                f"| [{case.id}](cases.md#{case.id.replace('/', '')}) | {verdicts}"
            )
    yield ""


def _defined(cases: Iterable[Case]) -> Iterator[tuple[Claim, Case]]:
    for case in cases:
        for claim in case.claims:
            yield claim, case


def _text(words: str) -> str:
    return words.replace("<", "&lt;").replace("*", r"\*")


def _cell(words: str) -> str:
    return _text(words).replace("|", r"\|")


def _recorded() -> dict[str, dict[str, str]]:
    """The verdicts kept in docs/results, newest kernel first: name -> claim -> status."""
    return {
        path.stem: dict(line.split("\t") for line in path.read_text().splitlines())
        for path in sorted(RESULTS.glob("*.tsv"), reverse=True)
    }


def record(name: str, run: Path) -> None:
    """Keeps the worst verdict on each claim of a run."""
    worst_first = ("fail", "pass", "skip")
    verdicts: dict[str, str] = {}
    for line in run.read_text().splitlines():
        for check in json.loads(line).get("checks", []):
            seen = (check["status"], verdicts.get(check["claim"], check["status"]))
            verdicts[check["claim"]] = min(seen, key=worst_first.index)
    RESULTS.mkdir(exist_ok=True)
    text = "".join(f"{claim}\t{status}\n" for claim, status in sorted(verdicts.items()))
    (RESULTS / f"{name}.tsv").write_text(text)


def main(arguments: list[str]) -> int:
    """Writes, checks or records, and returns the exit status."""
    if arguments[:1] == ["--record"]:
        record(arguments[1], Path(arguments[2]))
    stale = [name for name, text in pages().items() if not _is_current(HERE / name, text)]
    if arguments == ["--check"]:
        for name in stale:
            print(f"docs/{name} is not what the cases say; `make docs` writes it again", file=sys.stderr)
        return 1 if stale else 0
    for name, text in pages().items():
        (HERE / name).write_text(text)
    return 0


def _is_current(page: Path, text: str) -> bool:
    return page.exists() and page.read_text() == text


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
