"""`--json` of every command, each line held against the schema that the package ships."""

import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.cli.table import PLATFORMS, ROOT, Group

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="the scripts are for sh(1) and Linux primitives"),
]

SCRIPTS = {
    "evkit doctor": "evkit doctor --json",
    "evkit map": "evkit map --json",
    "evkit case list": "evkit case list --json; evkit case list --claims --json",
    "evkit case show": "evkit case show eventfd/semaphore --trace --json",
    "evkit case run": "evkit case run eventfd/semaphore --trace --json",
    "evkit case diff": "evkit case run eventfd/semaphore --json -o a; evkit case diff a a --json",
    "evkit bench": "evkit bench write-read --rounds 2 --turn 1ms --json; evkit bench --list --json",
    "evkit eventfd demo": "evkit eventfd demo --json",
    "evkit eventfd stress": "evkit eventfd stress --duration 100ms --json",
    "evkit eventfd run": "evkit eventfd run --json -- true",
    "evkit eventfd add": "evkit eventfd run -- evkit eventfd add 3 --json",
    "evkit eventfd read": "evkit eventfd run --initial 3 -- evkit eventfd read --json",
    "evkit eventfd peek": "evkit eventfd run --initial 3 -- evkit eventfd peek --json",
    "evkit signalfd demo": "evkit signalfd demo --json",
    "evkit signalfd stress": "evkit signalfd stress --duration 100ms --json",
    "evkit signalfd watch": "evkit signalfd watch CHLD --json -- true",
    "evkit signalfd queue": "sh -c 'trap \"\" USR1; evkit signalfd queue $$ USR1 --json'",
    "evkit epoll demo": "evkit epoll demo --json",
    "evkit epoll stress": "evkit epoll stress --duration 100ms --json",
    "evkit epoll watch": "printf x | evkit epoll watch - --count 1 --json",
    "evkit tail": "printf 'a\\nb\\n' > lines; evkit tail lines --json",
    "evkit serve": "timeout -s TERM 2 evkit serve half-sync --port 0 --json",
    "evkit load": (
        "mkfifo ready; evkit serve half-sync --port $PORT --ready-fd 3 3>ready >/dev/null & head -c 1 ready >/dev/null;"
        " evkit load 127.0.0.1:$PORT --duration 200ms --json; kill $!; wait"
    ),
    "evkit fds": "evkit eventfd run -- sh -c 'evkit fds $$ --json; true'",
}


def commands_with_json() -> list[str]:
    """Every command of this platform, by its words."""

    def below(group: Group, path: str) -> list[str]:
        found: list[str] = []
        for name, entry in group.commands.items():
            if PLATFORMS.get(name) in (None, sys.platform):
                found += below(entry, f"{path} {name}") if isinstance(entry, Group) else [f"{path} {name}"]
        return found

    return below(ROOT, "evkit")


def test_no_command_is_forgotten(shell: "Shell") -> None:
    speakers = {
        command for command in commands_with_json() if "--json" in shell.run(f"{command} --help").stdout
    }
    assert speakers - set(SCRIPTS) == set()


@pytest.mark.parametrize("command", sorted(SCRIPTS))
def test_what_it_writes_keeps_the_schema(
    shell: "Shell", valid_records: Callable[[str], list[dict[str, Any]]], command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = shell.run(SCRIPTS[command], env=shell.environment | {"PORT": str(port)})
    records = valid_records(done.stdout)
    assert records, done.stderr
