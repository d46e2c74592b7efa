"""What `--trace` prints is what strace sees, call by call, number by number."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Calls that only the story makes: the trace must show all of them. Of those that the harness makes too (its own
# hand-shakes and result channel), it must show what it shows in the right order.
STORY_ONLY = {
    "accept4",
    "bind",
    "connect",
    "dup3",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "eventfd2",
    "listen",
    "pipe2",
    "rt_sigqueueinfo",
    "shutdown",
    "signalfd4",
}
SHARED = {"close", "fcntl", "kill", "poll", "read", "recvfrom", "sendto", "socketpair", "write"}

CASES = [
    "epoll/fd-reuse",
    "epoll/dup-close-stale",
    "epoll/dup2-replace",
    "epoll/et-partial-read",
    "epoll/accept-emfile-spin",
    "eventfd/buffer-sizes",
    "signalfd/standard-signals-coalesce",
]

Call = tuple[str, tuple[str, ...], str]
"""Name, the plain numbers among its first arguments, and the result (`-1 EAGAIN`, or a number)."""

_LINE = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+(?: E[A-Z]+)?)")


def _call(text: str) -> Call | None:
    match = _LINE.match(text)
    if match is None:
        return None
    leading = re.match(r"(-?\d+(?:,\s*|$))*", match["arguments"])
    numbers = tuple(re.findall(r"-?\d+", leading[0])) if leading else ()
    pair = (
        re.search(r"\[(\d+), (\d+)\]", match["arguments"])
        if match["name"] in ("pipe2", "socketpair")
        else None
    )
    return match["name"], numbers + (pair.groups() if pair else ()), match["result"]


def _from_strace(log: str) -> dict[str, list[Call]]:
    """The calls of each process, unfinished ones joined with their ends."""
    unfinished: dict[str, str] = {}
    found: dict[str, list[Call]] = {}
    for line in log.splitlines():
        pid, _, text = line.partition(" ")
        text = text.strip()
        if text.endswith("<unfinished ...>"):
            unfinished[pid] = text.removesuffix("<unfinished ...>").rstrip()
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>\s*", text):
            text = unfinished.pop(pid) + text[resumed.end() :]
        if call := _call(text):
            found.setdefault(pid, []).append(call)
    return found


def _in_order(wanted: list[Call], seen: Iterator[Call]) -> list[Call]:
    """Those of `wanted` that `seen` does not have, in that order."""
    return [call for call in wanted if call not in seen]


@pytest.mark.once
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("case_id", CASES)
def test_the_trace_is_what_strace_sees(case_id: str, tmp_path: Path) -> None:
    log = tmp_path / "strace.log"
    run = subprocess.run(
        [
            *("strace", "-f", "-o", str(log), "-e", f"trace={','.join(sorted(STORY_ONLY | SHARED))}"),
            *(sys.executable, "-m", "toolkit", "case", "run", case_id, "--trace", "--format", "jsonl"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if "ptrace" in run.stderr and "not permitted" in run.stderr:
        pytest.skip("this machine does not let strace attach")
    assert run.returncode == 0, run.stderr
    [record] = [record for record in map(json.loads, run.stdout.splitlines()) if record["type"] == "case"]
    by_process = _from_strace(log.read_text())
    for variant in record["variants"]:
        traced = [
            call
            for line in record["trace"]
            if line.get("variant") == variant.get("name") and (call := _call(line["text"]))
        ]
        assert len(traced) > 2
        process = _process_of(traced, by_process)
        story = [call for call in process if call[0] in STORY_ONLY]
        assert [call for call in traced if call[0] in STORY_ONLY] == story
        assert _in_order([call for call in traced if call[0] in SHARED], iter(process)) == []


def _process_of(traced: list[Call], by_process: dict[str, list[Call]]) -> list[Call]:
    """The one process whose story begins and ends like the traced one."""
    wanted = [call for call in traced if call[0] in STORY_ONLY]
    fitting = [
        calls
        for calls in by_process.values()
        if [call for call in calls if call[0] in STORY_ONLY][: len(wanted)] == wanted
    ]
    assert fitting, f"no process made these calls: {wanted}"
    return fitting[0]
