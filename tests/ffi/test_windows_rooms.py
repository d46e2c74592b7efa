"""Elsewhere than on Windows, everything of it fails to import in one way: the clear one."""

import importlib
import pkgutil
import sys

import pytest

import toolkit
from toolkit.ffi.errors import PlatformLacksError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has them")

ROOMS = (
    "toolkit.bench.windows_works", "toolkit.cli.iocp.demo", "toolkit.cli.iocp.read", "toolkit.demos.iocp",
    "toolkit.engine.spawned", "toolkit.features.iocp", "toolkit.ffi.windows", "toolkit.ffi.windows_call_formats",
    "toolkit.ffi.windows_errors", "toolkit.lab.windows_lab", "toolkit.lab.windows_polls", "toolkit.lab.windows_waiter",
    "toolkit.primitives.afd_poll", "toolkit.primitives.console_control",
    "toolkit.primitives.directory_changes", "toolkit.primitives.iocp", "toolkit.primitives.job",
    "toolkit.primitives.named_pipe", "toolkit.primitives.operation", "toolkit.primitives.overlapped_file",
    "toolkit.primitives.overlapped_socket", "toolkit.primitives.owned_handle", "toolkit.primitives.waits",
    "toolkit.scheduler.completion_port", "toolkit.scheduler.directory_watch", "toolkit.scheduler.echo",
    "toolkit.scheduler.ended", "toolkit.scheduler.handle_source", "toolkit.scheduler.read_file",
    "toolkit.scheduler.windows_tail",
    "toolkit.stress.iocp.posts", "toolkit.stress.iocp.file_reads", "toolkit.stress.iocp.pipe_echo",
    "toolkit.stress.iocp.socket_echo", "toolkit.stress.iocp.cancel_storm",
)  # fmt: skip
MAY_BE_READ_ANYWHERE = ("toolkit.bench.windows_works", "toolkit.cli.iocp.demo", "toolkit.cli.iocp.read")


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in MAY_BE_READ_ANYWHERE])
def test_it_says_what_to_use_instead(room: str) -> None:
    with pytest.raises(PlatformLacksError, match=r"a Windows primitive; `evkit map` shows"):
        importlib.import_module(room)


@pytest.mark.parametrize("room", MAY_BE_READ_ANYWHERE)
def test_help_and_names_can_be_read_anywhere(room: str) -> None:
    importlib.import_module(room)


def test_every_case_of_every_platform_can_be_listed() -> None:
    folder = [f"{path}/cases/iocp" for path in toolkit.__path__]
    names = [module.name for module in pkgutil.iter_modules(folder)]
    assert len(names) > 40
    for name in names:
        assert importlib.import_module(f"toolkit.cases.iocp.{name}").CASE.needs[0] == "iocp"  # asked first
