"""`evkit tail` on Windows: growing files, named pipes and standard input, with real writers."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from toolkit.primitives.named_pipe import NamedPipe
from toolkit.primitives.operation import Operation

if TYPE_CHECKING:
    from tests.windows.conftest import Evkit

DEADLINE_S = 120


@contextmanager
def tailing(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    """`evkit tail ARGUMENTS`, waiting already; ended by force when the block is over."""
    command = [sys.executable, "-m", "toolkit", "tail", "--quiet", "--ready-fd", "2", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            assert stream(process.stderr).readline().strip() == b""
            yield process
        finally:
            process.kill()


def stream(of: IO[bytes] | None) -> IO[bytes]:
    assert of is not None
    return of


def line(process: "subprocess.Popen[bytes]") -> bytes:
    return stream(process.stdout).readline().rstrip(b"\r\n")


def test_a_file_is_followed_while_it_grows_and_from_its_start_when_it_was_cut(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"first\nsecond, not")
    with tailing(tmp_path, "--follow", "log", "--timeout", f"{DEADLINE_S}s") as process:
        assert line(process) == b"first"
        with log.open("ab", buffering=0) as writer:
            writer.write(b" yet whole\r\n")
            assert line(process) == b"second, not yet whole"
            for number in range(20):
                writer.write(b"line %d\n" % number)
                assert line(process) == b"line %d" % number
        log.write_bytes(b"anew\n")
        assert line(process) == b"anew"
        assert process.poll() is None


def test_a_renamed_file_is_read_on_and_a_shorter_one_of_its_name_is_no_cut(tmp_path: Path) -> None:
    log, renamed = tmp_path / "log", tmp_path / "log.1"
    log.write_bytes(b"first\nsecond\n")
    with tailing(tmp_path, "--follow", "log", "--timeout", f"{DEADLINE_S}s") as process:
        assert [line(process), line(process)] == [b"first", b"second"]
        log.rename(renamed)
        log.write_bytes(b"new\n")
        for number in range(5):
            with renamed.open("ab", buffering=0) as writer:
                writer.write(b"line %d\n" % number)
            assert line(process) == b"line %d" % number


def test_a_time_limit_ends_following_with_what_was_gathered(evkit: "Evkit", tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"first\nunfinished")
    done = evkit("tail", "--quiet", "--follow", "log", "--timeout", "300ms")
    assert (done.stdout.split(), done.returncode) == (["first", "unfinished"], 124)
    assert done.stderr == "evkit tail: gave up: the time limit passed before all sources ended\n"


def test_a_pipes_next_server_is_waited_for_and_nothing_is_lost(tmp_path: Path) -> None:
    with NamedPipe.create() as first:
        name = first.name
        with tailing(tmp_path, "--follow", name, "--timeout", f"{DEADLINE_S}s") as process:
            first.write(Operation(data=b"one\n"))
            assert line(process) == b"one"
            first.close()
            for number in range(5):
                with NamedPipe.create(name) as server:
                    connecting = Operation()
                    server.connect(connecting)
                    server.result(connecting, DEADLINE_S * 1000)
                    server.write(Operation(data=b"server %d\n" % number))
                    assert line(process) == b"server %d" % number
                    connecting.arrive()


def test_standard_input_is_read_beside_a_file_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"of the file\n")
    with tailing(tmp_path, "-", "log") as process:
        assert line(process) == b"log: of the file"
        stream(process.stdin).write(b"of stdin\n")
        stream(process.stdin).flush()
        assert line(process) == b"-: of stdin"
        out, _ = process.communicate(b"last", timeout=DEADLINE_S)
    assert (out.rstrip(), process.returncode) == (b"-: last", 0)


def test_much_goes_through_standard_input_whole(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(100_000))
    with tailing(tmp_path, "-") as process:
        out, _ = process.communicate(text, timeout=DEADLINE_S)
    assert out.replace(b"\r\n", b"\n") == text


def test_a_line_beyond_one_mebibyte_is_passed_on_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"x" * 3_000_000)
    with tailing(tmp_path, "long") as process:
        out, _ = process.communicate(timeout=DEADLINE_S)
    assert out.count(b"x") == 3_000_000
    assert len(out.splitlines()) == 3
