"""What the commands refuse on Windows, and how they say it."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.windows.conftest import Evkit


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (("iocp", "read", "no-such-file"), "evkit iocp read: no such file or pipe: no-such-file", 2),
        (("iocp", "read", "."), "evkit iocp read: a directory, .; give a file or a pipe", 2),
        (("iocp", "watch", "no-such-directory"), "evkit iocp watch: no such directory: no-such-directory", 2),
        (("iocp", "watch", ".", "--timeout", "100ms"), "", 124),
        (("iocp", "post", "--bytes", "4294967296"), "evkit iocp post: invalid value for '--bytes'", 2),
        (("iocp", "post", "--key", "-1"), "evkit iocp post: invalid value for '--key'", 2),
        (
            ("iocp", "post", "--key", "1_0"),
            "evkit iocp post: invalid value for '--key': '1_0' is not a number",
            2,
        ),
        (
            ("iocp", "post", "--key", "0x1_0"),
            "evkit iocp post: invalid value for '--key': '0x1_0' is not a number",
            2,
        ),
        (
            ("iocp", "post", "--overlapped", ""),
            "evkit iocp post: invalid value for '--overlapped': '' is not a",
            2,
        ),
        (
            ("iocp", "post", "--times", "0"),
            "evkit iocp post: invalid value for '--times': 0 is nothing to do",
            2,
        ),
        (("iocp", "read", "x", "--naive-eof", "--naive-offset"), "evkit iocp read: --naive-offset and", 2),
        (
            ("iocp", "read", "x", "--naive-eof", "--times", "0"),
            "evkit iocp read: invalid value for '--times': 0",
            2,
        ),
        (("iocp", "read", ""), "evkit iocp read: an empty name is no file", 2),
        (("iocp", "read", r"\\.\PIPE\\"[:-1]), r"evkit iocp read: \\.\PIPE\ holds all pipes", 2),
        (("iocp", "read", "what*?"), "evkit iocp read: no file can have this name: what*?", 2),
        (
            ("iocp", "watch", ".", "--count", "0"),
            "evkit iocp watch: invalid value for '--count': 0 is nothing",
            2,
        ),
        (("iocp", "watch", ""), "evkit iocp watch: an empty name is no directory", 2),
        (("iocp", "watch", "what*?"), "evkit iocp watch: no directory can have this name: what*?", 2),
        (
            ("iocp", "stress", "posts", "--baseline", "."),
            "evkit iocp stress: --baseline .: Is a directory",
            2,
        ),
        (("tail", r"\\.\pipe"), r"evkit tail: \\.\pipe holds all pipes; give the name of one", 2),
        (("tail", "--exit-by", "eventfd", "x"), "evkit tail: --exit-by eventfd is for Linux; here Ctrl-C", 2),
        (("tail", "no-such-file"), "evkit tail: no such file or pipe: no-such-file", 2),
        (("epoll", "demo"), "evkit epoll demo: epoll is a primitive of Linux, and this is Windows", 77),
        (("eventfd", "read"), "evkit eventfd read: eventfd is a primitive of Linux", 77),
        (("case", "run", "iocp/no-such-case"), "evkit case run: no case matches 'iocp/no-such-case'", 2),
        (("iocp", "stress", "no-such-stressor"), "evkit iocp stress: no stressor matches", 2),
    ],
)
def test_what_is_refused_is_refused_in_one_line(
    evkit: "Evkit", arguments: tuple[str, ...], said: str, status: int
) -> None:
    done = evkit(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) <= 1


def test_names_of_calls_keep_their_capitals(capsys: pytest.CaptureFixture[str]) -> None:
    from toolkit.cli import run

    said = [
        "ReadFile(0x54, 4096, 0): ERROR_INVALID_HANDLE (6)",
        "CreateFileW: error 4711",
        "SIGKILL stays",
        "Got an unexpected argument",
        "No such option: --nope",
        "Can't",
    ]
    for one in said:
        run._say(["iocp", "read"], one)
    written = [one.removeprefix("evkit iocp read: ") for one in capsys.readouterr().err.splitlines()]
    assert written == [*said[:3], "got an unexpected argument", "no such option: --nope", "can't"]
