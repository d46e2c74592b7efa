"""What examples/ tells people to run, run."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

MERGE = Path(__file__).resolve().parents[2] / "examples" / "merge.sh"


@pytest.mark.once
def test_merge_compares_hosts_by_their_shares(shell: "Shell") -> None:
    script = f"""
        mkdir results
        for host in alpha-22.04 beta; do
            for share in 1 2; do
                evkit case run 'eventfd/[a-l]*' --shard $share/2 --seed 1 \\
                    --format jsonl -o results/$host.$share.jsonl || exit
            done
        done
        sh {MERGE} results
    """
    ended = shell.run(script)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert "== alpha-22.04 and beta" in ended.stdout
    assert "0 differs, 0 missing" in ended.stdout


@pytest.mark.once
def test_merge_notices_a_host_that_differs(shell: "Shell") -> None:
    script = f"""
        mkdir results
        evkit case run eventfd/counter --seed 1 --format jsonl -o results/a.1.jsonl
        sed 's/"status": *"pass"/"status": "fail"/g' results/a.1.jsonl >results/b.1.jsonl
        sh {MERGE} results
    """
    ended = shell.run(script)
    assert ended.returncode == 1, ended.stderr + ended.stdout
    assert "eventfd/counter" in ended.stdout
