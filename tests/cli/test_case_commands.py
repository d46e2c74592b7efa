"""`evkit case list|show|run|diff` in a real shell, on the shipped cases."""

import os
import re
import select
import signal
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tap.parser import Parser

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="cases are forked on Linux"),
]

Refused = Callable[..., str]
Records = Callable[[str], list[dict[str, Any]]]
FEW = "eventfd/semaphore epoll/fd-reuse"


def test_list_names_every_case_once_and_globs_select(shell: "Shell", valid_records: Records) -> None:
    everything = [line.split()[0] for line in shell.run("evkit case list").stdout.splitlines()]
    assert everything == sorted(set(everything))
    assert {"epoll/fd-reuse", "epoll/dup-close-stale"} <= set(everything)
    some = [record["id"] for record in valid_records(shell.run("evkit case list --json 'eventfd/s*'").stdout)]
    assert some == [case_id for case_id in everything if case_id.startswith("eventfd/s")]
    by_primitive = valid_records(shell.run("evkit case list --json --primitive eventfd").stdout)
    assert {record["primitive"] for record in by_primitive} == {"eventfd"}


def test_list_claims_gives_claim_source_and_case(shell: "Shell", valid_records: Records) -> None:
    records = valid_records(shell.run("evkit case list --claims --json").stdout)
    assert [record["claim"] for record in records] == sorted({record["claim"] for record in records})
    [one] = [record for record in records if record["claim"] == "epoll-generation-in-data-word"]
    assert "epoll/fd-reuse" in one["cases"]
    line = shell.run("evkit case list --claims 'epoll/fd-reuse' | grep generation-in-data").stdout
    assert line.split() == [one["claim"], *one["source"].split(), "epoll/fd-reuse"]


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize(
    "command",
    ["list", "list --claims", "show epoll/fd-reuse", "run 'eventfd/s*'", "run eventfd/semaphore --trace"],
)
def test_text_fits_the_columns(shell: "Shell", command: str, columns: int) -> None:
    done = shell.run(f"COLUMNS={columns} evkit case {command}")
    assert (done.returncode, done.stderr) == (0, "")
    longest = max(done.stdout.splitlines(), key=len)
    assert len(longest) <= columns, longest


def test_show_reads_like_a_page(shell: "Shell") -> None:
    text = shell.run("evkit case show epoll/fd-reuse").stdout
    titles = re.findall(r"^[A-Z ,]+$", text, re.MULTILINE)
    assert titles == [
        "NAME",
        "WHAT IT DOES",
        "WHY IT BITES",
        "WHAT YOU WILL SEE",
        "VARIANTS",
        "CLAIMS CHECKED",
        "REFERENCES",
        "TO RUN IT",
    ]
    assert "epoll-generation-in-data-word" in text
    assert re.search(r"^    naive +\S.*\n(.*\n)*?    right +\S", text, re.MULTILINE)


def test_show_traces_both_variants_as_they_run_now(shell: "Shell", valid_records: Records) -> None:
    text = shell.run("evkit case show epoll/fd-reuse --trace").stdout
    naive, _, right = text.partition("TRACE, NAIVE")[2].partition("TRACE, RIGHT")
    for trace in (naive, right):
        assert "As run now: pass in " in trace
        assert re.search(r"epoll_ctl\(\d+, EPOLL_CTL_ADD, \d+, \{EPOLLIN, data=0x[0-9a-f]+\}\) = 0", trace)
    info, case = valid_records(shell.run("evkit case show epoll/fd-reuse --trace --json").stdout)
    assert (info["type"], case["type"]) == ("case_info", "case")
    assert {line["variant"] for line in case["trace"]} == {"naive", "right"}


@pytest.mark.parametrize("command", ["run", "list", "show"])
def test_what_does_not_exist_names_near_misses(refused: Refused, command: str) -> None:
    said = refused(f"evkit case {command} epoll/fd-resue")
    assert said.startswith(
        f"evkit case {command}: no case matches 'epoll/fd-resue'; did you mean epoll/fd-reuse"
    )
    assert "no case matches 'zzz/*'" in refused(f"evkit case {command} 'zzz/*'")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--primitive epol", "no cases of 'epol'; there are some of "),
        ("--shard 3/2", "'3/2' is no share; write I/N with I from 1 to N"),
        ("--shard 0/2", "'0/2' is no share"),
        ("-j 0", "'-j'"),
        ("-j 100000", "'-j'"),
        ("--timeout 0s", "'0s' is no time at all"),
        ("--timeout 1000h", "'1000h' is longer than 596h"),
        ("--timeout 10", "'10' is not a duration; write 250ms, 10s or 2m"),
        ("--repeat 0", "--repeat 0 runs nothing"),
        ("--repeat x", "'x' is not a count"),
        ("--seed -1", "'--seed'"),
        ("--variant wrong", "'wrong' is not one of 'naive', 'right'"),
        ("--format xml", "'xml' is not one of 'human', 'jsonl', 'tap', 'junit'"),
        ("--json --format tap", "--json means --format jsonl, not tap"),
        ("--known nowhere", "no list 'nowhere'"),
        ("-o /", "cannot write '/' (Is a directory)"),
        (">&-", "cannot write '-' (Bad file descriptor)"),
    ],
)
def test_a_wrong_option_is_told_what_is_right(refused: Refused, options: str, said: str) -> None:
    assert said in refused(f"evkit case run {options}")


def test_every_format_tells_of_the_same_cases(shell: "Shell", valid_records: Records) -> None:
    records = valid_records(shell.run(f"evkit case run {FEW} --json --seed 5").stdout)
    assert [record["type"] for record in records] == ["run", "case", "case", "summary"]
    assert (records[0]["seed"], records[0]["argv"][:3]) == (5, ["evkit", "case", "run"])
    assert records[-1]["passed"] == 2
    tap = list(Parser().parse_text(shell.run(f"evkit case run {FEW} --format tap").stdout))
    assert [line.description for line in tap if line.category == "test"] == [
        "- epoll/fd-reuse",
        "- eventfd/semaphore",
    ]
    junit = ET.fromstring(shell.run(f"evkit case run {FEW} --format junit").stdout)
    assert [case.get("name") for case in junit.iter("testcase")] == ["fd-reuse", "semaphore"]
    assert re.findall(r"^pass +(\S+)", shell.run(f"evkit case run {FEW}").stdout, re.MULTILINE) == sorted(
        FEW.split()
    )


def test_results_go_to_the_file_and_nowhere_else(shell: "Shell", valid_records: Records) -> None:
    done = shell.run(f"evkit case run {FEW} --format jsonl -o results.jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(valid_records((shell.folder / "results.jsonl").read_text())) == 4
    assert shell.run(f"evkit case run {FEW} --json -o -").stdout.count("\n") == 4


def test_the_seed_is_printed_and_another_each_time(shell: "Shell") -> None:
    seeds = [
        re.search(r"; seed (\d+)", shell.run("evkit case run eventfd/semaphore").stdout) for _ in range(2)
    ]
    assert all(seeds)
    assert seeds[0][1] != seeds[1][1]  # type: ignore[index]


def test_repeats_and_shares(shell: "Shell", valid_records: Records) -> None:
    script = "for i in 1 2 3; do evkit case run 'eventfd/*' --shard $i/3 --json; done"
    shared = [record["id"] for record in valid_records(shell.run(script).stdout) if record["type"] == "case"]
    listed = [
        record["id"] for record in valid_records(shell.run("evkit case list --json 'eventfd/*'").stdout)
    ]
    assert sorted(shared) == listed
    twice = valid_records(shell.run("evkit case run eventfd/semaphore --repeat 2 -j 2 --json").stdout)
    assert sorted(record["iteration"] for record in twice if record["type"] == "case") == [1, 2]


def test_one_variant_alone(shell: "Shell", valid_records: Records) -> None:
    records = valid_records(shell.run("evkit case run epoll/fd-reuse --variant right --json").stdout)
    assert [variant["name"] for variant in records[1]["variants"]] == ["right"]
    assert {check["variant"] for check in records[1]["checks"]} == {"right"}


def test_two_runs_of_one_machine_do_not_differ(shell: "Shell", valid_records: Records) -> None:
    shell.run("evkit case run 'eventfd/*' --json -o a; evkit case run 'eventfd/*' --json -o b -j 2")
    done = shell.run("evkit case diff a b")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^(\d+) same, 0 differs, 0 missing", done.stdout, re.MULTILINE)
    rows = valid_records(shell.run("evkit case diff a - --json < b").stdout)
    assert {row["verdict"] for row in rows if row.get("kind") != "record"} == {"same"}


def test_a_difference_and_a_missing_case_give_status_1_from_either_side(
    shell: "Shell", valid_records: Records
) -> None:
    shell.run(f"evkit case run {FEW} --json -o a; head -2 a > shorter")
    text = (shell.folder / "a").read_text()
    (shell.folder / "other").write_text(text.replace('"status": "pass"', '"status": "fail"'))
    for pair in ("a other", "other a"):
        done = shell.run(f"evkit case diff {pair}")
        assert done.returncode == 1
        assert "differs  epoll/fd-reuse" in done.stdout
    assert shell.run("evkit case diff a shorter").stdout.count("(not in B)") == 1
    assert shell.run("evkit case diff shorter a").stdout.count("(not in A)") == 1
    assert shell.run("evkit case diff shorter a > /dev/null").returncode == 1
    valid_records(shell.run("evkit case diff a other --json").stdout)


def test_what_is_no_run_cannot_be_compared(refused: Refused, shell: "Shell") -> None:
    (shell.folder / "empty").write_text("")
    assert "cannot read 'absent': No such file or directory" in refused("evkit case diff absent absent")
    assert "'empty' holds no case record" in refused("evkit case diff empty empty")
    assert "only one of the two runs can come from stdin" in refused("evkit case diff - -")


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "list --json",
        "show 'e*/*'",
        "run 'eventfd/*' --json",
        "run 'eventfd/*'",
        "run 'eventfd/*' --format tap",
    ],
)
def test_a_reader_that_leaves_early_is_no_error(shell: "Shell", command: str) -> None:
    done = shell.run(f"evkit case {command} | head -1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


def test_sixteen_descriptors_are_enough(shell: "Shell") -> None:
    done = shell.run("ulimit -n 16; evkit case run eventfd/semaphore epoll/dup-close-stale --json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def on_a_terminal(shell: "Shell", script: str, **environment: str) -> tuple[int, str]:
    """Status and all that `script` wrote to the terminal that it had for stdout and stderr."""
    import pty  # Windows has none, and reads this file too

    ours, theirs = pty.openpty()
    settings: dict[str, Any] = {"stdout": theirs, "stderr": theirs, "env": shell.environment | environment}
    process = shell.start(f"stty columns 100 < /proc/self/fd/1; {script}", **settings)
    os.close(theirs)
    written = b""
    try:
        while select.select([ours], [], [], 60)[0]:
            try:
                data = os.read(ours, 65536)
            except OSError:  # EIO: the other side was closed
                break
            written += data
    finally:
        os.close(ours)
    return process.wait(60), written.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_progress_and_keeps_only_the_results(shell: "Shell") -> None:
    code, text = on_a_terminal(shell, "evkit case run 'eventfd/s*'")
    assert code == 0
    assert "\x1b[32mpass" in text
    assert re.search(r"\r\d+/\d+  eventfd/", text)
    rubbed_out = re.findall(r"\r(\d+/\d+  \S*) *\r( *)\r", text)
    assert rubbed_out
    assert all(len(blanks) >= len(line) for line, blanks in rubbed_out)
    shown = [line.rpartition("\r")[2] for line in text.split("\n")]  # what a line rubbed out leaves
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown]
    assert all(len(line) <= 100 for line in plain)
    assert not [line for line in plain if re.match(r"\d+/\d+ ", line)]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_color_is_honoured(shell: "Shell", environment: dict[str, str]) -> None:
    code, text = on_a_terminal(shell, "evkit case run eventfd/semaphore", **environment)
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*m", text)


def test_nothing_but_results_without_a_terminal(shell: "Shell") -> None:
    done = shell.run("evkit case run 'eventfd/s*' > out; cat out")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_ctrl_c_on_a_terminal_ends_it_whole(shell: "Shell", valid_records: Records) -> None:
    process = shell.start("exec evkit case run 'eventfd/*' --repeat 1M --json")
    assert process.stdout is not None
    assert process.stderr is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole foreground group
    rest = process.stdout.read()  # not communicate(): it forgets what readline() has read ahead
    assert (process.wait(60), process.stderr.read()) == (130, "")
    records = valid_records("".join(lines) + rest)
    assert records[-1]["type"] == "summary"
    assert records[-1]["interrupted"] is True
    assert records[-1]["cases"] == len(records) - 2


def test_a_full_disk_is_said_in_one_line(shell: "Shell") -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell.run("evkit case run eventfd/semaphore --json > /dev/full")
    assert done.returncode == 99
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


CAFE = '{"type": "case", "id": "caf\u00e9", "status": "pass", "variants": [], "checks": []}\n'


def test_unprintable_encodings_do_not_break_it(shell: "Shell") -> None:
    settings: dict[str, Any] = {"env": shell.environment | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}}
    (shell.folder / "a").write_text(CAFE, encoding="utf-8")
    done = shell.run("evkit case diff a a", **settings)
    assert (done.returncode, done.stderr) == (0, "")
    assert "same     caf\\xe9" in done.stdout
