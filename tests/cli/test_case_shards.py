"""`evkit case run --shard I/N` on several machines, merged and compared."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

pytestmark = pytest.mark.once


def test_shards_are_merged_by_concatenation_and_compare_equal_to_the_whole(shell: "Shell") -> None:
    script = """
        for share in 1 2 3; do
            evkit case run 'eventfd/*' --shard $share/3 --seed 1 --format jsonl -o part$share || exit
        done
        evkit case run 'eventfd/*' --seed 1 --format jsonl -o whole || exit
        cat part1 part2 part3 > merged
        evkit case diff whole merged
    """
    ended = shell.run(script)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert "0 differs, 0 missing" in ended.stdout


def test_a_share_that_is_none_is_refused(shell: "Shell") -> None:
    for wrong in ("4/3", "0/3", "1", "a/b"):
        ended = shell.run(f"evkit case run --shard {wrong}")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "write I/N" in ended.stderr
