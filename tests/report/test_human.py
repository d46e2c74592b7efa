"""Text for people: every line fits, nothing needed is lost, and colour is the painter's alone."""

import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from toolkit.records import Summary
from toolkit.report.human import summary_line

Written = Callable[..., str]
Samples = SimpleNamespace


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("details", [False, True])
def test_every_line_fits_and_all_that_differs_is_there(
    written: Written, samples: Samples, width: int, details: bool
) -> None:
    titles = {samples.passed.id: "t " * 99}
    long = replace(
        samples.failed, reason=None, checks=(replace(samples.failed.checks[1], observed="x " * 300),)
    )
    text = written(
        "human",
        [*samples.everything, long],
        width=width,
        details=details,
        titles=titles,
    )
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    for needed in (
        "FAIL",
        "UNLISTED",
        "TIMEOUT",
        "ERROR",
        "known",
        "skip",
        "killed by SIGSEGV",
        "listed as fail",
    ):
        assert needed in words
    assert words.count("x ") >= 300
    assert "\x1b" not in text


def test_the_title_stands_where_there_is_room(written: Written, samples: Samples) -> None:
    titles = {samples.passed.id: "A stale registration speaks in the name of the next owner."}
    assert titles[samples.passed.id] in written("human", [samples.passed], width=200, titles=titles)
    assert "stale" not in written("human", [samples.passed], width=60, titles=titles)


def test_details_show_every_check(written: Written, samples: Samples) -> None:
    text = written("human", [samples.passed], details=True)
    assert re.search(r"pass  naive: epoll-two-entries\n\s+expected  \[7, 7\]\n\s+observed  \[7, 7\]", text)
    assert "seen  naive: epoll-order" in text
    assert "epoll-two-entries" not in written("human", [samples.passed])


@pytest.mark.parametrize(
    ("summary", "line"),
    [
        (Summary(34, 33, 0, 1, 0, 0, 1_240_000_000, 0), "34 cases: 33 passed, 1 skipped, in 1.24 s"),
        (Summary(0, 0, 0, 0, 0, 0, 0, 77), "0 cases: nothing was run, in 0.00 s"),
        (Summary(1, 0, 1, 0, 0, 0, 0, 130, True), "1 case: 1 failed, in 0.00 s; interrupted"),
        (
            Summary(2, 1, 0, 0, 0, 1, 0, 0, unlisted=0),
            "2 cases: 1 passed, 1 timed out, in 0.00 s; all as listed",
        ),
    ],
)
def test_the_last_line_counts(summary: Summary, line: str) -> None:
    assert summary_line(summary) == line
