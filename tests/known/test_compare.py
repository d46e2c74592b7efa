"""Results against a list: only a difference counts, and it counts in either direction."""

import pytest

from toolkit.known.compare import compare
from toolkit.known.lists import parse
from toolkit.records import CaseResult, Check, Kind, Status, VariantResult

PASS, FAIL, SKIP, ERROR, TIMEOUT = Status.PASS, Status.FAIL, Status.SKIP, Status.ERROR, Status.TIMEOUT


def result(naive: Status, right: Status, *, one: Status = PASS, two: Status = PASS) -> CaseResult:
    """Claim `one` is checked by naive, `two` by both."""
    worst = next(s for s in (ERROR, FAIL, TIMEOUT, PASS, SKIP) if s in (naive, right))
    return CaseResult(
        id="epoll/herd",
        primitive="epoll",
        status=worst,
        duration_ns=1,
        iteration=1,
        variants=(VariantResult("naive", naive, 1), VariantResult("right", right, 1)),
        checks=(
            Check("one", Kind.MUST, one, variant="naive"),
            Check("two", Kind.MUST, two, variant="naive"),
            Check("two", Kind.MUST, PASS, variant="right"),
        ),
    )


GOOD = result(PASS, PASS)
ONE_FAILS = result(FAIL, PASS, one=FAIL)
BOTH_FAIL = result(FAIL, PASS, one=FAIL, two=FAIL)


@pytest.mark.parametrize(
    ("found", "listed"),
    [
        (GOOD, ""),
        (GOOD, "epoll/other fail # x"),
        (result(SKIP, SKIP, one=SKIP, two=SKIP), ""),
        (ONE_FAILS, "epoll/herd#one fail # x"),
        (ONE_FAILS, "epoll/herd#one@naive fail # x"),
        (ONE_FAILS, "epoll/herd@naive fail # x"),
        (ONE_FAILS, "epoll/herd fail # x"),
        (BOTH_FAIL, "epoll/herd#one fail # x\nepoll/herd#two@naive fail # y"),
        (BOTH_FAIL, "epoll/herd#one fail # x\nepoll/herd#two fail # y"),
        (result(TIMEOUT, PASS), "epoll/herd@naive timeout # x"),
        (result(ERROR, PASS), "epoll/herd error # x"),
    ],
)
def test_as_listed(found: CaseResult, listed: str) -> None:
    known = compare(found, parse(listed, "box"))
    assert known.differences == ()
    assert known.as_listed


@pytest.mark.parametrize(
    ("found", "listed", "differences"),
    [
        (ONE_FAILS, "", ["epoll/herd#one@naive: it is fail, which is not listed"]),
        (GOOD, "epoll/herd#one fail # x", ["epoll/herd#one: listed as fail, but it is pass (box line 1)"]),
        (GOOD, "epoll/herd fail # x", ["epoll/herd: listed as fail, but it is pass (box line 1)"]),
        (
            GOOD,
            "epoll/herd@right skip # x",
            ["epoll/herd@right: listed as skip, but it is pass (box line 1)"],
        ),
        (BOTH_FAIL, "epoll/herd#one fail # x", ["epoll/herd#two@naive: it is fail, which is not listed"]),
        (
            BOTH_FAIL,
            "epoll/herd#one fail # x\nepoll/herd#two@right fail # y",
            [
                "epoll/herd#two@right: listed as fail, but it is pass (box line 2)",
                "epoll/herd#two@naive: it is fail, which is not listed",
            ],
        ),
        (result(TIMEOUT, PASS), "", ["epoll/herd@naive: it is timeout, which is not listed"]),
        (
            result(ERROR, PASS),
            "epoll/herd@naive fail # x",
            ["epoll/herd@naive: listed as fail, but it is error (box line 1)"],
        ),
        (result(FAIL, PASS), "", ["epoll/herd@naive: it is fail, which is not listed"]),
        (
            GOOD,
            "epoll/herd#gone fail # x",
            ["epoll/herd#gone: listed as fail, but it was not looked at (box line 1)"],
        ),
        (
            GOOD,
            "epoll/herd@both fail # x",
            ["epoll/herd@both: listed as fail, but it was not looked at (box line 1)"],
        ),
    ],
)
def test_different(found: CaseResult, listed: str, differences: list[str]) -> None:
    known = compare(found, parse(listed, "box"))
    assert list(known.differences) == differences
    assert not known.as_listed


def test_what_did_not_run_is_not_missed_when_only_one_variant_was_chosen() -> None:
    listed = parse("epoll/herd#gone fail # x\nepoll/herd@both fail # y\n", "box")
    assert compare(GOOD, listed, whole=False).as_listed
    assert compare(GOOD, listed, whole=False).reasons == ("x", "y")
