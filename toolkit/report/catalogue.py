"""What the cases are, as records: for `case list`, `case show` and the generated pages."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from toolkit.lab.case import Case, Claim


@dataclass(frozen=True)
class ClaimInfo:
    """One claim, and every case that checks it."""

    claim: str
    text: str
    source: str
    cases: tuple[str, ...]
    since: str | None = None
    type: str = field(default="claim", init=False)


@dataclass(frozen=True)
class VariantInfo:
    """One variant of a hazard, or the whole of a case without variants (name None)."""

    name: str | None
    text: str | None


@dataclass(frozen=True)
class CaseInfo:
    """One case: its story, its variants, and the ids of what it checks."""

    id: str
    primitive: str
    title: str
    does: str
    bites: str
    see: str
    references: tuple[str, ...]
    variants: tuple[VariantInfo, ...]
    claims: tuple[str, ...]
    needs: tuple[str, ...]
    type: str = field(default="case_info", init=False)


def describe_case(case: Case) -> CaseInfo:
    """A case's record.

    Raises:
        CaseInvalidError: its docstring lacks a part.
    """
    story = case.story
    return CaseInfo(
        id=case.id,
        primitive=case.primitive,
        title=story.title,
        does=story.does,
        bites=story.bites,
        see=story.see,
        references=tuple(part.strip() for part in story.references.split(";") if part.strip()),
        variants=tuple(
            VariantInfo(case.variant_name(function), _first_line(function.__doc__))
            for function in case.variants
        ),
        claims=(*(claim.id for claim in case.claims), *case.also),
        needs=case.needs,
    )


def describe_claims(cases: Iterable[Case], defined: Mapping[str, Claim]) -> list[ClaimInfo]:
    """The claims that these cases check, by id; `defined` knows the text of each."""
    checked_by: dict[str, list[str]] = {}
    for case in cases:
        for claim_id in sorted(case.claim_ids):
            checked_by.setdefault(claim_id, []).append(case.id)
    return [
        ClaimInfo(
            claim_id, defined[claim_id].text, defined[claim_id].source, tuple(ids), defined[claim_id].since
        )
        for claim_id, ids in sorted(checked_by.items())
    ]


def _first_line(docstring: str | None) -> str | None:
    return inspect.cleandoc(docstring).split("\n\n")[0].replace("\n", " ") if docstring else None
