"""A case as its file declares it, and the four parts of its docstring."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

CaseFunction = Callable[[Any], None]
"""Takes the Lab of the platform that the case is for."""


@dataclass(frozen=True)
class Claim:
    """One statement that a check decides.

    Attributes:
        id: for ever; `primitive-words-of-the-behaviour`.
        text: the statement, in one sentence.
        source: where it comes from: man page and section, kernel file, or `observed`.
        since: the kernel that began it, where it matters.
    """

    id: str
    text: str
    source: str
    since: str | None = None


@dataclass(frozen=True)
class Story:
    """A case's docstring: a title, and why anybody should care."""

    title: str
    does: str
    bites: str
    see: str
    references: str


class CaseInvalidError(ValueError):
    """A case file breaks a rule that every case keeps; the message says which."""


@dataclass(frozen=True)
class Case:
    """A reproducer.

    Attributes:
        variants: `(naive, right)` of a hazard, in that order, or one function that is the whole case.
        claims: the statements its checks decide. A check of any other claim is an error.
        also: ids of claims that another case defines and this one checks too.
        needs: names of features that are probed before it runs; without one the case is skipped with the reason.
    """

    variants: tuple[CaseFunction, ...]
    claims: tuple[Claim, ...]
    also: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module that declares it."""
        return self.variants[0].__module__

    @property
    def id(self) -> str:
        """`epoll/fd-reuse`: the file's path, with hyphens."""
        primitive, name = self.module.split(".")[-2:]
        return f"{primitive}/{name.replace('_', '-')}"

    @property
    def primitive(self) -> str:
        """`epoll`, `eventfd`, `signalfd`, `iocp`, ...: the folder."""
        return self.module.split(".")[-2]

    @property
    def claim_ids(self) -> frozenset[str]:
        """Every claim it may check."""
        return frozenset([*(claim.id for claim in self.claims), *self.also])

    @property
    def story(self) -> Story:
        """The docstring of its file, in parts.

        Raises:
            CaseInvalidError: a part is missing.
        """
        return parse_story(sys.modules[self.module].__doc__ or "", self.id)

    def variant_name(self, function: CaseFunction) -> str | None:
        """`naive` or `right`; None for a case without variants."""
        return function.__name__ if len(self.variants) > 1 else None

    def named(self, variant: str | None) -> CaseFunction:
        """The function of a variant, as `variant_name` calls it."""
        return next(function for function in self.variants if self.variant_name(function) == variant)


_PARTS = ("What it does", "Why it bites", "What you will see", "References")


def parse_story(docstring: str, case_id: str) -> Story:
    """The docstring's title and four parts, each with its line breaks folded.

    Raises:
        CaseInvalidError: a part is missing or empty, naming it and the case.
    """
    title, _, body = docstring.strip().partition("\n")
    pieces = re.split(rf"^({'|'.join(_PARTS)})\b", body, flags=re.MULTILINE)
    texts = {name: " ".join(text.split()) for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    for part in _PARTS:
        if not texts.get(part):
            raise CaseInvalidError(f"{case_id}: its docstring lacks the part {part!r}")
    return Story(title.strip(), *(texts[part] for part in _PARTS))
