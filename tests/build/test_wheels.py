"""What the wheels contain, what they are called, and which systems they load on."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]

COMPILED = (".so", ".pyd", ".dll", ".dylib", ".o")
# What pthread and rt symbols cost when built on glibc 2.34 or newer, which moved them. epoll_pwait2 would cost 2.35.
NEWEST_GLIBC = (2, 34)


def contents(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_linux_gets_one_abi3_wheel(linux_wheel: Path) -> None:
    assert "-cp310-abi3-linux_" in linux_wheel.name
    inside = contents(linux_wheel)
    assert [name for name in inside if name.endswith(COMPILED)] == ["toolkit/ffi/_linux.abi3.so"]
    assert {name.split("/")[0] for name in inside if ".dist-info/" not in name} == {"toolkit"}


def test_the_wheel_needs_no_glibc_newer_than_promised(linux_wheel: Path, run: Callable[..., Done]) -> None:
    shown = run(sys.executable, "-m", "auditwheel", "show", linux_wheel, cwd=linux_wheel.parent)
    assert shown.returncode == 0, shown.stderr
    tag = re.search(r'"manylinux_(\d+)_(\d+)_\w+"', shown.stdout)
    assert tag, shown.stdout
    assert (int(tag[1]), int(tag[2])) <= NEWEST_GLIBC, shown.stdout


def test_the_extension_stays_inside_the_limited_api(linux_wheel: Path, run: Callable[..., Done]) -> None:
    audited = run(
        sys.executable, "-m", "abi3audit", "--strict", "--report", linux_wheel, cwd=linux_wheel.parent
    )
    assert audited.returncode == 0, audited.stderr
    [report] = json.loads(audited.stdout)["specs"].values()
    assert report["wheel"]
    [extension] = report["wheel"]
    assert extension["result"]["is_abi3"]
    assert not extension["result"]["non_abi3_symbols"]
    assert not extension["result"]["future_abi3_objects"]


ELSEWHERE = {"win_amd64": "win32", "macosx_11_0_arm64": "darwin"}


@pytest.fixture(scope="module", params=ELSEWHERE)
def foreign_wheel(request: pytest.FixtureRequest, build: Callable[..., Path]) -> Path:
    """The wheel of a system without a compiled module, built here."""
    return build("--wheel", EVKIT_TARGET=request.param)


def test_elsewhere_the_wheel_is_for_that_platform_and_needs_no_compiler(foreign_wheel: Path) -> None:
    [platform] = [name for name in ELSEWHERE if foreign_wheel.stem.endswith(f"-py3-none-{name}")]
    inside = contents(foreign_wheel)
    assert not [name for name in inside if name.endswith(COMPILED)]
    with zipfile.ZipFile(foreign_wheel) as archive:
        [name] = [name for name in inside if name.endswith(".dist-info/WHEEL")]
        assert re.findall(r"^Tag: (.*)$", archive.read(name).decode(), re.MULTILINE) == [
            f"py3-none-{platform}"
        ]


def test_a_foreign_wheel_is_never_chosen_here(
    foreign_wheel: Path, run: Callable[..., Done], tmp_path: Path
) -> None:
    command = (
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--target",
        tmp_path / "site",
        foreign_wheel,
    )
    installed = run(*command, cwd=tmp_path)
    assert installed.returncode != 0
    assert "is not a supported wheel on this platform" in installed.stderr


def test_elsewhere_the_linux_parts_say_what_they_lack(
    foreign_wheel: Path, run: Callable[..., Done], tmp_path: Path
) -> None:
    # Whoever says it is that system: the check reads sys.platform, and this wheel has no Linux module to fall back on.
    [system] = [system for name, system in ELSEWHERE.items() if foreign_wheel.stem.endswith(name)]
    program = f"import sys; sys.path.insert(0, {str(foreign_wheel)!r}); sys.platform = {system!r}"
    program += "; import toolkit.ffi.linux"
    done = run(sys.executable, "-I", "-c", program, cwd=tmp_path)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "PlatformLacksError" in last
    assert "epoll, eventfd and signalfd are Linux primitives" in last
    assert "evkit map" in last
