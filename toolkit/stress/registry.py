"""Finds stressors: toolkit/stress/<primitive>/<name>.py, one a file, by scan."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.stress.stage import Stressor

_ROOM = Path(__file__).parent


def names(primitive: str) -> list[str]:
    """The stressors of `primitive`, such as `fan-in`, in alphabetical order."""
    files = (path.stem for path in (_ROOM / primitive).glob("*.py"))
    return sorted(stem.replace("_", "-") for stem in files if stem != "__init__")


def select(primitive: str, patterns: list[str]) -> list[str]:
    """The names that match any of `patterns` (globs), in alphabetical order; all without patterns.

    Raises:
        ValueError: a pattern matches nothing.
    """
    known = names(primitive)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ValueError(f"no stressor matches {pattern!r}; {primitive} has {', '.join(known)}")
    return [name for name in known if not patterns or any(fnmatchcase(name, each) for each in patterns)]


def load(primitive: str, name: str) -> "Stressor":
    """The stressor in its file."""
    from toolkit.stress.stage import (
        Stressor,  # here: the names of a primitive's stressors are known everywhere
    )

    stressor = _module(primitive, name).STRESSOR
    assert isinstance(stressor, Stressor)
    return stressor


def summaries(primitive: str) -> Iterator[tuple[str, str]]:
    """Each name with the first line of its docstring."""
    for name in names(primitive):
        yield name, document(primitive, name).partition("\n")[0]


def document(primitive: str, name: str) -> str:
    """The docstring of a stressor's file."""
    return _module(primitive, name).__doc__ or ""


def _module(primitive: str, name: str) -> ModuleType:
    return import_module(f"toolkit.stress.{primitive}.{name.replace('-', '_')}")
