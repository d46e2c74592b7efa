"""Two runs compared, in both directions."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolkit.records import CaseResult, Kind, Status, as_json
from toolkit.report.diff import CaseDifference, compare_runs
from toolkit.report.diff_text import diff_lines
from toolkit.report.jsonl import to_line
from toolkit.report.reading import NotARunError, ReadRun, read_run

Samples = SimpleNamespace


def records(*results: CaseResult) -> list[dict[str, Any]]:
    return [as_json(result) for result in results]


def changed(result: CaseResult, index: int, **change: Any) -> CaseResult:  # noqa: ANN401  any field
    checks = list(result.checks)
    checks[index] = replace(checks[index], **change)
    return replace(result, checks=tuple(checks))


def rows(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    found = [row for case in compare_runs(a, b) for row in (case.case, *case.parts)]
    return [
        (row.id, row.variant, row.claim, row.verdict, row.decides) for row in found if row.verdict != "same"
    ]


def both_ways(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    assert rows(a, b) == rows(b, a)
    return rows(a, b)


def test_a_run_is_the_same_as_itself(samples: Samples) -> None:
    run = records(*samples.everything[:5])
    assert both_ways(run, run) == []
    assert both_ways(run, records(*samples.everything[:5], samples.again)) == []  # once more, to the same end


def test_a_check_that_passes_on_one_side_only(samples: Samples) -> None:
    other = replace(changed(samples.passed, 2, status=Status.FAIL, observed="dead"), status=Status.FAIL)
    assert both_ways(records(samples.passed), records(other)) == [
        ("epoll/fd-reuse", None, None, "differs", True),
        ("epoll/fd-reuse", "right", "epoll-generation", "differs", True),
    ]


def test_numbers_seen_in_passing_do_not_differ_but_those_of_failures_do(samples: Samples) -> None:
    assert both_ways(records(samples.passed), records(changed(samples.passed, 0, observed=[9, 9]))) == []
    assert both_ways(records(samples.failed), records(changed(samples.failed, 1, observed=2))) == [
        ("eventfd/semaphore", None, None, "differs", True),
        ("eventfd/semaphore", None, "eventfd-semaphore-reads-one", "differs", True),
    ]


def test_what_no_kernel_promises_is_told_but_decides_nothing(samples: Samples) -> None:
    assert samples.passed.checks[1].kind is Kind.RECORD
    assert both_ways(
        records(samples.passed), records(changed(samples.passed, 1, observed="newest first"))
    ) == [("epoll/fd-reuse", "naive", "epoll-order", "differs", False)]


def test_a_case_a_variant_or_a_check_on_one_side_only(samples: Samples) -> None:
    assert both_ways(records(samples.passed, samples.failed), records(samples.passed)) == [
        ("eventfd/semaphore", None, None, "missing", True)
    ]
    naive_only = replace(
        samples.passed, variants=samples.passed.variants[:1], checks=samples.passed.checks[:2]
    )
    assert both_ways(records(samples.passed), records(naive_only)) == [
        ("epoll/fd-reuse", None, None, "differs", True),
        ("epoll/fd-reuse", "right", None, "missing", True),
    ]
    fewer = replace(samples.passed, checks=samples.passed.checks[1:])
    assert both_ways(records(samples.passed), records(fewer)) == [
        ("epoll/fd-reuse", None, None, "differs", True),
        ("epoll/fd-reuse", "naive", "epoll-two-entries", "missing", True),
    ]


def test_a_case_that_was_skipped_on_one_side_says_so_once(samples: Samples) -> None:
    variants = tuple(replace(v, status=Status.SKIP, reason="no kcmp") for v in samples.passed.variants)
    skipped = replace(samples.passed, status=Status.SKIP, reason="no kcmp", variants=variants, checks=())
    assert both_ways(records(samples.passed), records(skipped)) == [
        ("epoll/fd-reuse", None, None, "differs", True),
        ("epoll/fd-reuse", "naive", None, "differs", True),
        ("epoll/fd-reuse", "right", None, "differs", True),
    ]


def test_a_case_that_only_sometimes_passes_differs_from_one_that_always_does(samples: Samples) -> None:
    flaky = replace(changed(samples.again, 0, status=Status.FAIL), status=Status.FAIL)
    assert ("epoll/fd-reuse", "naive", "epoll-two-entries", "differs", True) in both_ways(
        records(samples.passed, samples.again), records(samples.passed, flaky)
    )


@pytest.mark.parametrize("width", [80, 200])
def test_the_text_fits_and_names_both_sides(samples: Samples, width: int) -> None:
    other = changed(samples.failed, 1, observed="y " * 200)
    a, b = records(samples.passed, samples.failed), records(other, samples.skipped)
    found: list[CaseDifference] = list(compare_runs(a, b))
    runs = ReadRun("a.jsonl", None, tuple(a)), ReadRun("b.jsonl", None, tuple(b))
    lines = list(diff_lines(*runs, found, width, lambda text, *_: text))
    assert max(map(len, lines)) <= width
    assert "missing  epoll/fd-reuse  (not in B)" in lines
    assert "missing  epoll/exclusive-einval  (not in A)" in lines
    assert "differs  eventfd/semaphore" in lines
    assert lines[-1] == "0 same, 1 differs, 2 missing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no case record"),
        ('{"type": "run"}\n', "holds no case record"),
        ('{"type": "run"}\nnot json\n', "line 2 is no record"),
        ("[1]\n", "line 1 is no record"),
        ('{"type": "case", "id": "epoll/x"}\n', "line 1 is a case without status"),
    ],
)
def test_a_file_that_is_no_run_is_told_where(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(NotARunError, match=said):
        read_run(str(tmp_path / "a.jsonl"))


def test_a_cut_line_is_no_record(tmp_path: Path, samples: Samples) -> None:
    (tmp_path / "a.jsonl").write_text(to_line(samples.passed) + "\n" + to_line(samples.failed)[:200])
    with pytest.raises(NotARunError, match="line 2 is no record"):
        read_run(str(tmp_path / "a.jsonl"))
    broken = json.loads(to_line(samples.failed))
    del broken["checks"][0]["claim"]
    (tmp_path / "a.jsonl").write_text(json.dumps(broken))
    with pytest.raises(NotARunError, match="without checks' claim"):
        read_run(str(tmp_path / "a.jsonl"))
