"""The engine on the shipped cases: what it finds, runs and reports."""

import os
import re
from pathlib import Path

import pytest

from toolkit import engine
from toolkit.engine import registry
from toolkit.records import Kind, Status

REPORT = re.compile(r"[\w.-]+/[\w.-]+#\d+")  # owner/project#number: somebody was bitten, and said so


def test_every_case_keeps_the_rules() -> None:
    defined: dict[str, str] = {}
    for case_id in registry.all_ids():
        case = registry.load(case_id)
        assert case.id == case_id
        assert case.story.title.endswith("."), case_id
        assert [f.__name__ for f in case.variants] in (["naive", "right"], [case.variants[0].__name__]), (
            case_id
        )
        if len(case.variants) > 1 and case.primitive != "iocp":
            assert REPORT.search(case.story.references), f"{case_id}: a hazard names who was bitten"
        for claim in case.claims:
            assert claim.text.endswith("."), claim.id
            assert claim.source, claim.id
            assert claim.id not in defined, f"{claim.id} is defined by {defined[claim.id]} and {case_id}"
            defined[claim.id] = case_id
    for case in engine.all_cases():
        assert set(case.also) <= set(defined), case.id


def test_the_catalogue_passes_and_checks_every_claim_it_declares() -> None:
    cases = engine.all_cases()
    results = list(engine.run(engine.Plan(tuple(cases), slots=os.cpu_count() or 1)))
    assert {result.id for result in results} == {case.id for case in cases}
    unwell = {r.id: (r.status.value, r.reason) for r in results if r.status not in (Status.PASS, Status.SKIP)}
    assert not unwell
    for case in cases:
        result = next(result for result in results if result.id == case.id)
        if result.status is Status.PASS and not any(v.status is Status.SKIP for v in result.variants):
            assert {check.claim for check in result.checks} == case.claim_ids, case.id
            deciding = {check.claim for check in result.checks if check.kind is Kind.MUST}
            assert deciding, case.id


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    list(engine.run(engine.Plan(tuple(engine.select(["epoll/fd-reuse"])))))
    assert list(tmp_path.iterdir()) == []


def test_a_pattern_without_a_match_names_near_misses() -> None:
    with pytest.raises(engine.NothingSelectedError, match="did you mean epoll/fd-reuse"):
        engine.select(["epoll/fd-resue"])


def test_the_same_seed_gives_a_variant_the_same_numbers() -> None:
    case = engine.select(["epoll/fd-reuse"])[0]
    plan = engine.Plan((case,), seed=7)
    [[first, second]] = list(plan.jobs())
    assert plan.seed_of(first) == "7:epoll/fd-reuse:naive:1"
    assert plan.seed_of(first) != plan.seed_of(second)


def test_shards_share_the_cases_out() -> None:
    cases = tuple(engine.all_cases())
    plan = engine.Plan(cases)
    shared = [case for index in (1, 2, 3) for case in plan.shard(index, 3).cases]
    assert sorted(case.id for case in shared) == [case.id for case in cases]


def test_no_more_runners_are_started_than_there_are_jobs() -> None:
    [case] = engine.select(["eventfd/counter"])
    [result] = engine.run(engine.Plan((case,), slots=10**9))
    assert result.status is Status.PASS
