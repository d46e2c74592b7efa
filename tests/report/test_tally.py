"""The exit code of a run: what wins over what, and that nothing done is not a pass."""

from types import SimpleNamespace

import pytest

from toolkit.report.tally import Tally

Samples = SimpleNamespace


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ("passed", 0),
        ("passed skipped", 0),
        ("skipped", 77),
        ("", 77),
        ("known", 0),
        ("known skipped", 0),
        ("passed failed", 1),
        ("passed unlisted", 1),
        ("hanging skipped", 124),
        ("hanging failed", 1),
        ("broken failed hanging", 99),
    ],
)
def test_the_worst_wins(samples: Samples, names: str, code: int) -> None:
    tally = Tally()
    for name in names.split():
        tally.add(getattr(samples, name))
    assert tally.exit_code() == code
    assert tally.exit_code(ended_by_signal=2) == 130
    assert tally.summary(5, 15).exit_code == 143
    assert tally.cases == len(names.split())


def test_differences_from_a_list_are_counted_only_with_a_list(samples: Samples) -> None:
    tally = Tally(with_list=True)
    tally.add(samples.unlisted)
    assert tally.summary(1).unlisted == 1
    assert Tally().summary(1).unlisted is None
