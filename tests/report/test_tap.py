"""TAP output, as the tap.py reader and a YAML reader see it."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from tap.parser import Parser

Written = Callable[..., str]
Samples = SimpleNamespace


def lines_of(text: str, category: str) -> list[Any]:
    return [line for line in Parser().parse_text(text) if line.category == category]


def test_each_case_is_a_point_with_its_outcome(written: Written, samples: Samples) -> None:
    text = written("tap", samples.everything)
    assert text.startswith("TAP version 14\n")
    points = lines_of(text, "test")
    assert [(point.number, point.ok, point.skip, point.todo) for point in points] == [
        (1, True, False, False),
        (2, False, False, False),
        (3, True, True, False),
        (4, False, False, False),
        (5, False, False, False),
        (6, False, False, True),
        (7, False, False, False),
        (8, True, False, False),
    ]
    assert points[0].description == "- epoll/fd-reuse"
    assert points[7].description == "- epoll/fd-reuse (iteration 2)"
    assert points[2].directive.reason == "needs epoll-exclusive: EINVAL"
    assert points[5].directive.text == "TODO known: the semaphore # is new"
    [plan] = lines_of(text, "plan")
    assert plan.expected_tests == 8
    assert not lines_of(text, "bail")


def test_details_are_yaml(written: Written, samples: Samples) -> None:
    points = lines_of(written("tap", samples.everything), "test")
    assert points[0].yaml_block == {"status": "pass", "duration_ms": 3.2}
    assert points[3].yaml_block["message"] == "killed by SIGSEGV"
    assert points[6].yaml_block["differences"] == ["epoll/fd-reuse: listed as fail, but it is pass"]


def test_the_subtest_holds_the_checks(written: Written, samples: Samples) -> None:
    text = written("tap", [samples.failed])
    inner = "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))
    skip, fail = lines_of(inner, "test")
    assert (skip.ok, skip.skip, skip.directive.reason) == (True, True, "no such syscall #1")
    assert (fail.ok, fail.description) == (False, "- eventfd-semaphore-reads-one")
    assert lines_of(inner, "plan")[0].expected_tests == 2
    block = yaml.safe_load(re.search(r"^  ---\n(.*?)^  \.\.\.", inner, re.DOTALL | re.MULTILINE).group(1))  # type: ignore[union-attr]
    check = samples.failed.checks[1]
    assert block == {"message": check.reason, "expected": 1, "observed": check.observed}


def test_what_no_kernel_promises_is_a_comment(written: Written, samples: Samples) -> None:
    text = written("tap", [samples.passed])
    assert '    # recorded naive: epoll-order: "oldest first"\n' in text
    assert "    1..2\n" in text


@pytest.mark.parametrize("count", [3, 0])
def test_an_interrupted_run_is_whole_and_not_a_pass(written: Written, samples: Samples, count: int) -> None:
    text = written("tap", samples.everything[:count], signal=2)
    assert lines_of(text, "plan")[0].expected_tests == count == len(lines_of(text, "test"))
    [bail] = lines_of(text, "bail")
    assert "interrupted" in bail.reason


def test_no_line_is_foreign(written: Written, samples: Samples) -> None:
    text = written("tap", samples.everything)
    assert text.isascii()
    outer = [line for line in text.splitlines() if not line.startswith(" ")]
    assert not lines_of("\n".join(outer), "unknown")
