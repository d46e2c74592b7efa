"""`evkit fds` in a real shell, on processes whose descriptors are known."""

import json
import signal
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Shell
    from tests.conftest import Start, Subject

pytestmark = pytest.mark.once  # /proc says the same to every interpreter

VALIDATOR = jsonschema.Draft202012Validator(json.loads((files("toolkit.report") / "schema.json").read_text()))

EVERYTHING = """
from toolkit.primitives.signalfd import SignalFd
inner, epoll = select.epoll(), select.epoll()
counter = os.eventfd(3)
reader, writer = os.pipe()
signals = SignalFd([signal.SIGUSR1])
inner.register(counter, select.EPOLLIN)
for one in (inner, reader, signals):
    epoll.register(one, select.EPOLLIN)
{then}
tell(epoll=epoll.fileno(), inner=inner.fileno(), counter=counter, reader=reader, signals=signals.fileno())
"""
GONE_STALE = "kept = os.dup(reader); os.close(reader)"
CASES = {"epoll/dup-close-stale", "epoll/fd-reuse", "epoll/fork-held-spin"}


@pytest.fixture
def sound(start: "Start") -> "Subject":
    """A process with an epoll in an epoll, an eventfd, a signalfd, and nothing stale."""
    return start(EVERYTHING.format(then=""))


@pytest.fixture
def ailing(start: "Start") -> "Subject":
    """The same with one stale entry."""
    return start(EVERYTHING.format(then=GONE_STALE))


def records_in(text: str) -> list[dict[str, Any]]:
    """The JSON Lines, each held against the schema."""
    records = [json.loads(line) for line in text.splitlines()]
    for line, record in zip(text.splitlines(), records, strict=True):
        assert line.startswith('{"type": "')
        VALIDATOR.validate(record)
    return records


def test_json_has_every_descriptor_and_follows_the_schema(shell: "Shell", sound: "Subject") -> None:
    done = shell.run(f"evkit fds --json {sound.pid}")
    assert (done.returncode, done.stderr) == (0, "")
    records = records_in(done.stdout)
    assert sorted((record["type"], record["fd"]) for record in records) == sorted(
        [
            ("epoll", sound["epoll"]),
            ("epoll", sound["inner"]),
            ("eventfd", sound["counter"]),
            ("signalfd", sound["signals"]),
        ]
    )
    assert {record["pid"] for record in records} == {sound.pid}
    outer = next(r for r in records if (r["type"], r["fd"]) == ("epoll", sound["epoll"]))
    kinds = {entry["tfd"]: entry["target"]["kind"] for entry in outer["entries"]}
    assert kinds == {sound["inner"]: "epoll", sound["reader"]: "pipe", sound["signals"]: "signalfd"}
    assert {entry["state"] for entry in outer["entries"]} == {"live"}


def test_stale_is_a_check(shell: "Shell", sound: "Subject", ailing: "Subject") -> None:
    clean = shell.run(f"evkit fds --stale {sound.pid}")
    assert (clean.returncode, clean.stdout, clean.stderr) == (0, "", "")
    found = shell.run(f"evkit fds --stale {sound.pid} {ailing.pid}")
    assert (found.returncode, found.stderr) == (1, "")
    (line,) = found.stdout.splitlines()
    assert f"({ailing.pid}) epoll {ailing['epoll']} entry {ailing['reader']} stale: " in line
    assert "Fix: EPOLL_CTL_DEL before close()" in line
    assert line.endswith("See: evkit case show epoll/dup-close-stale")
    (record,) = records_in(shell.run(f"evkit fds --stale --json {sound.pid} {ailing.pid}").stdout)
    assert [entry["state"] for entry in record["entries"]] == ["stale"]


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_cases_that_findings_name_exist(shell: "Shell", case: str) -> None:
    done = shell.run(f"evkit case show {case}")
    assert done.returncode == 0
    assert case in done.stdout


def test_all_finds_the_stale_entry_among_everything(shell: "Shell", ailing: "Subject") -> None:
    done = shell.run("evkit fds --all --stale --json")
    assert done.returncode == 1
    assert ailing.pid in {record["pid"] for record in records_in(done.stdout)}


def test_by_name(shell: "Shell", start: "Start") -> None:
    subject = start(EVERYTHING.format(then="open('/proc/self/comm', 'w').write('fdsprobe7')"))
    other = shell.run("evkit fds --name 'fdsprobe*' --json")
    assert {record["pid"] for record in records_in(other.stdout)} == {subject.pid}
    assert shell.run("evkit fds --name sprobe7").stdout.startswith(f"fdsprobe7 ({subject.pid})\n")


def test_one_descriptor_alone(shell: "Shell", sound: "Subject") -> None:
    done = shell.run(f"evkit fds --fd {sound['counter']} {sound.pid}")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith(f"  eventfd {sound['counter']}: count 3, id ")
    assert lines[1].endswith(f"; watched by epoll {sound['inner']}")


def test_signals_that_cannot_arrive_are_said(shell: "Shell", sound: "Subject") -> None:
    text = shell.run(f"evkit fds --fd {sound['signals']} {sound.pid}").stdout
    assert f"thread {sound.pid} (" in text
    assert "does not block SIGUSR1" in text


def test_who_watches(shell: "Shell", sound: "Subject") -> None:
    done = shell.run(f"evkit fds --json --who-watches {sound['counter']} {sound.pid}")
    (record,) = records_in(done.stdout)
    assert (record["fd"], [entry["tfd"] for entry in record["entries"]]) == (
        sound["inner"],
        [sound["counter"]],
    )
    nobody = shell.run(f"evkit fds --who-watches 0 {sound.pid}")
    assert (nobody.returncode, nobody.stdout) == (0, "")
    assert nobody.stderr == "evkit fds: no epoll that can be read watches descriptor 0\n"


def test_who_watches_finds_stale_entries_under_another_number(shell: "Shell", start: "Start") -> None:
    subject = start(
        """
epoll = select.epoll()
found = {}
for kind, made in dict(pipe=os.pipe()[0], socket=socket.socket().detach(), eventfd=os.eventfd(0)).items():
    epoll.register(made, select.EPOLLIN)
    found[kind] = [made, os.dup(made)]
for made, kept in found.values():
    os.close(made)
tell(epoll=epoll.fileno(), found=found)
"""
    )
    for made, kept in subject["found"].values():
        done = shell.run(f"evkit fds --json --who-watches {kept} {subject.pid}")
        (record,) = records_in(done.stdout)
        assert [(entry["tfd"], entry["state"]) for entry in record["entries"]] == [(made, "stale")]


def test_the_tree_opens_nested_epolls_in_place(shell: "Shell", sound: "Subject") -> None:
    lines = shell.run(f"evkit fds --tree {sound.pid}").stdout.splitlines()
    outer = next(at for at, line in enumerate(lines) if f"epoll {sound['epoll']}: 3 entries" in line)
    (nested,) = [at for at in range(outer, outer + 5) if f"epoll {sound['inner']}" in lines[at]]
    assert lines[nested + 1].index("─") > lines[nested].index("─")
    assert "eventfd id " in lines[nested + 1]


def test_watching_ends_with_the_process(shell: "Shell", sound: "Subject") -> None:
    running = shell.start_ready(f"evkit fds --watch 50ms --ready-fd $READY {sound.pid}")
    sound.end()
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert out.startswith("python")
    assert "ended" in err or "no process" in err


def test_watching_looks_as_often_as_it_is_told(shell: "Shell", sound: "Subject") -> None:
    done = shell.run(f"evkit fds --watch 10ms --count 3 --json --fd {sound['counter']} {sound.pid}")
    assert done.returncode == 0
    assert [record["fd"] for record in records_in(done.stdout)] == [sound["counter"]] * 3


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_watching_is_ended_by_a_signal(
    shell: "Shell", sound: "Subject", number: signal.Signals, status: int
) -> None:
    running = shell.start_ready(f"exec evkit fds --watch 1h --json --ready-fd $READY {sound.pid}")
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (status, "")
    assert len(records_in(out)) == 4


def test_watching_gives_up_at_the_time_limit(shell: "Shell", sound: "Subject", ailing: "Subject") -> None:
    assert shell.run(f"evkit fds --watch 1h --timeout 10ms {sound.pid}").returncode == 124
    assert shell.run(f"evkit fds --watch 1h --timeout 10ms --stale {ailing.pid}").returncode == 1


def test_a_reader_that_leaves_early_is_no_error(shell: "Shell", sound: "Subject") -> None:
    done = shell.run(f"evkit fds {sound.pid} | head -1")
    assert (done.stdout, done.stderr) == (f"{Path(sys.executable).name} ({sound.pid})\n", "")


def test_a_process_with_nothing_to_show(shell: "Shell", start: "Start") -> None:
    done = shell.run(f"evkit fds {start('tell()').pid}")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "evkit fds: no epoll, eventfd or signalfd there\n"


def test_what_is_refused(refused: Callable[..., str], sound: "Subject") -> None:
    pid = sound.pid
    expected = {
        "evkit fds": "give process numbers, or --name PATTERN, or --all",
        f"evkit fds --all {pid}": "give process numbers, or --name PATTERN, or --all",
        "evkit fds 4194305": "there is no process 4194305",  # past the largest there can be: proc_sys_kernel(5)
        "evkit fds --name no-such-process-here": "no process is named 'no-such-process-here'",
        f"evkit fds --fd 1000 {pid}": f"descriptor 1000 is not open in process {pid}; it has ",
        f"evkit fds --fd {sound['reader']} {pid}": f"descriptor {sound['reader']} of process {pid} is no epoll, ",
        f"evkit fds --who-watches 1000 {pid}": f"descriptor 1000 is not open in process {pid}",
        f"evkit fds --fd 1 --who-watches 1 {pid}": "--fd and --who-watches ask different questions",
        f"evkit fds --tree --json {pid}": "--tree draws for people; it does not go with --json",
        f"evkit fds --count 3 {pid}": "--count, --timeout and --ready-fd go with --watch",
        f"evkit fds --watch soon {pid}": "invalid value for '--watch': 'soon' is not a duration",
    }
    for line, said in expected.items():
        assert refused(line).startswith(f"evkit fds: {said}"), line
