"""The README's session is what the commands print, and its exit codes are the ones that the code has."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.exits import Exit

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="the session is on Linux"),
]


def session() -> list[tuple[str, str]]:
    """The commands of the console block, each with what it is said to print."""
    [block] = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    commands = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, said) for command, _, said in (text.partition("\n") for text in commands)]


@pytest.mark.parametrize(("command", "said"), session(), ids=lambda text: text[:40])
def test_the_session_is_real(command: str, said: str, tmp_path: Path) -> None:
    folder = Path(sys.executable).parent
    ended = subprocess.run(
        ["sh", "-c", command.replace("evkit ", f"'{sys.executable}' -m toolkit ")],
        cwd=tmp_path if "site-packages" in sys.modules["toolkit"].__path__[0] else None,
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    # "..." on a line of its own stands for any lines; a time may be another one
    pattern = "".join(
        r"(?:.*\n)*" if line == "..." else re.sub(r"\\\.\d+\\ s", r"\\.\\d+\\ s", re.escape(line)) + "\n"
        for line in said.splitlines()
    )
    pattern = re.sub(r"in\\ \d+", r"in\\ \\d+", pattern)
    assert re.fullmatch(pattern, ended.stdout), ended.stdout


def test_the_exit_codes_are_the_ones_that_the_code_has() -> None:
    table = re.findall(r"^\| ([\d, ]+) \|", README, re.MULTILINE)
    assert {int(code) for row in table for code in row.split(",")} == {int(code) for code in Exit}
