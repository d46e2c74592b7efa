"""One result against a list: what is as listed, and what differs, in either direction."""

from collections.abc import Iterator, Sequence

from toolkit.known.lists import Entry, KnownList
from toolkit.records import CaseResult, Check, Known, Status, VariantResult

_WORST_FIRST = (Status.FAIL, Status.PASS, Status.SKIP)


def compare(result: CaseResult, known: KnownList, *, whole: bool = True) -> Known:
    """Whether the result is as the list says it is.

    What is not listed has to pass, or to be skipped. `whole` says that all variants ran: then what is listed has
    to have been looked at too.
    """
    entries = known.of(result.id)
    differences = [*_listed(result, entries, whole), *_unlisted(result, entries)]
    reasons = tuple(dict.fromkeys(entry.reason for entry in entries))
    return Known(not differences, tuple(differences), reasons)


def _listed(result: CaseResult, entries: Sequence[Entry], whole: bool) -> Iterator[str]:
    for entry in entries:
        found = _status_of(entry, result)
        if found is None:
            if whole:
                yield f"{entry.subject}: listed as {entry.status.value}, but it was not looked at ({entry.place})"
        elif found is not entry.status:
            yield f"{entry.subject}: listed as {entry.status.value}, but it is {found.value} ({entry.place})"


def _status_of(entry: Entry, result: CaseResult) -> Status | None:
    if entry.claim is not None:
        checks = [check for check in result.checks if _speaks_of(entry, check)]
        return next(
            (status for status in _WORST_FIRST if any(check.status is status for check in checks)), None
        )
    if entry.variant is not None:
        return next((variant.status for variant in result.variants if variant.name == entry.variant), None)
    return result.status


def _speaks_of(entry: Entry, check: Check) -> bool:
    return entry.claim == check.claim and entry.variant in (None, check.variant)


def _unlisted(result: CaseResult, entries: Sequence[Entry]) -> Iterator[str]:
    if any(entry.claim is None and entry.variant is None for entry in entries):
        return
    for variant in result.variants:
        if not any(entry.claim is None and entry.variant == variant.name for entry in entries):
            yield from _unlisted_in(variant, result, entries)


def _unlisted_in(variant: VariantResult, result: CaseResult, entries: Sequence[Entry]) -> Iterator[str]:
    where = f"@{variant.name}" if variant.name else ""
    failed = [
        check for check in result.checks if check.variant == variant.name and check.status is Status.FAIL
    ]
    for check in failed:
        if not any(_speaks_of(entry, check) for entry in entries):
            yield f"{result.id}#{check.claim}{where}: it is fail, which is not listed"
    if variant.status in (Status.ERROR, Status.TIMEOUT) or (variant.status is Status.FAIL and not failed):
        why = f" ({variant.reason})" if variant.reason else ""
        yield f"{result.id}{where}: it is {variant.status.value}, which is not listed{why}"
