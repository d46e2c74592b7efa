"""Finds the cases: every file `toolkit/cases/<primitive>/<name>.py` is one."""

import fnmatch
import importlib
import pkgutil
import sys
from collections.abc import Iterable, Sequence
from functools import cache

import toolkit.cases
from toolkit.lab.case import Case, CaseInvalidError, Claim


class NothingSelectedError(ValueError):
    """A pattern matches no case; the message names near misses."""


@cache
def all_ids() -> tuple[str, ...]:
    """Every case id, sorted, without importing the cases."""
    ids = [
        f"{primitive.name}/{module.name.replace('_', '-')}"
        for primitive in pkgutil.iter_modules(toolkit.cases.__path__)
        if primitive.ispkg
        for module in pkgutil.iter_modules([f"{path}/{primitive.name}" for path in toolkit.cases.__path__])
        if not module.name.startswith("_")
    ]
    return tuple(sorted(ids))


@cache
def load(case_id: str) -> Case:
    """The case of that id.

    Raises:
        CaseInvalidError: its file declares none, or under another id.
    """
    primitive, name = case_id.split("/")
    module = importlib.import_module(f"toolkit.cases.{primitive}.{name.replace('-', '_')}")
    case = getattr(module, "CASE", None)
    if not isinstance(case, Case):
        raise CaseInvalidError(f"{module.__name__} declares no CASE")
    if case.id != case_id:
        raise CaseInvalidError(f"{module.__name__} declares the case {case.id}, not {case_id}")
    return case


def all_cases() -> list[Case]:
    """Every case, by id; on Windows only its own, since cases of Linux primitives import them."""
    return [load(case_id) for case_id in all_ids() if sys.platform != "win32" or _at_home(case_id)]


def claims() -> dict[str, Claim]:
    """Every claim that some case defines, by id."""
    return {claim.id: claim for case in all_cases() for claim in case.claims}


def select(patterns: Sequence[str] = (), primitive: str | None = None) -> list[Case]:
    """The cases whose ids match any of the globs, of one primitive if given; without either, all of this platform's.

    Raises:
        NothingSelectedError: a pattern that matches nothing, or a primitive without cases.
    """
    ids = all_ids()
    if primitive is not None:
        known = sorted({case_id.partition("/")[0] for case_id in ids})
        if primitive not in known:
            raise NothingSelectedError(f"no cases of {primitive!r}; there are some of {', '.join(known)}")
        ids = tuple(case_id for case_id in ids if case_id.startswith(f"{primitive}/"))
    elif not patterns:
        ids = tuple(case_id for case_id in ids if _at_home(case_id))
    if not patterns:
        return [load(case_id) for case_id in ids]
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = fnmatch.filter(ids, pattern)
        if not found:
            raise NothingSelectedError(_no_match(pattern, ids))
        chosen.update(dict.fromkeys(found))
    return [load(case_id) for case_id in sorted(chosen)]


def _at_home(case_id: str) -> bool:
    return case_id.startswith("iocp/") == (sys.platform == "win32")


def _no_match(pattern: str, ids: Iterable[str]) -> str:
    import difflib  # only a user who mistyped pays for it

    names = {case_id: case_id for case_id in ids} | {case_id.partition("/")[2]: case_id for case_id in ids}
    near = dict.fromkeys(names[word] for word in difflib.get_close_matches(pattern, names, n=5, cutoff=0.5))
    hint = f"did you mean {' or '.join(list(near)[:3])}?" if near else "`evkit case list` shows all"
    return f"no case matches {pattern!r}; {hint}"
