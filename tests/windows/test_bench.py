"""Our objects beside the standard library's `_overlapped` and ctypes, interleaved."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.ffi.wine import wine_version

if TYPE_CHECKING:
    from tests.windows.conftest import Evkit

Valid = Callable[[str], list[dict[str, Any]]]

# Our time over the standard library's, the median of many short turns side by side. The goal is 1 / 0.9 = 1.11, which
# quiet machines reach; 1.2 is a microsecond more a packet (of 22), or a neighbour on the same two CPUs. On Windows
# itself a call into the system costs less than one microsecond, so a compiled module must win there, by a factor that
# nobody has measured; ctypes is what has to be beaten everywhere.
SLOWEST = 1.2 if wine_version() else float("inf")
ATTEMPTS = 4


@pytest.mark.alone
@pytest.mark.timeout(600)
def test_posts_and_waits_keep_up_with_the_standard_library(evkit: "Evkit", valid: Valid) -> None:
    ratios: list[tuple[float, float]] = []
    for _ in range(ATTEMPTS):
        rows = valid(evkit("bench", "post-get", "--rounds", "21", "--turn", "20ms", "--json").stdout)
        by_name = {row["contestant"]: row for row in rows if row["type"] == "bench"}
        assert set(by_name) == {"stdlib", "evkit", "ctypes"}
        ratios.append((by_name["evkit"]["ratio"], by_name["ctypes"]["ratio"]))
        ours, of_ctypes = ratios[-1]
        if ours <= SLOWEST and ours < of_ctypes:
            return
    pytest.fail(f"ratios of time to the standard library's, ours and ctypes': {ratios}")


def test_works_are_listed_and_unknown_ones_refused(evkit: "Evkit") -> None:
    assert [line.split()[0] for line in evkit("bench", "--list").stdout.splitlines()] == [
        "post-get",
        "get-empty",
        "post-get-64",
    ]
    done = evkit("bench", "no-such-work")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no work matches 'no-such-work'; there are post-get, get-empty, post-get-64" in done.stderr
